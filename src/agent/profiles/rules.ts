/**
 * What one profile's rules say as those of the others do, but for the words of the agent: each takes what has to be there.
 */
import type { Encoded } from "../profile.ts"

type Rule = Encoded["rules"][number]

/**
 * @internal
 */
export const limit = (...all: ReadonlyArray<string>): Rule => (
  { id: "limit", state: "blocked", kind: "usage-limit", region: "last", priority: 20, all }
)

/**
 * @internal
 */
export const trust = (...all: ReadonlyArray<string>): Rule => (
  { id: "trust", state: "blocked", kind: "trust", region: "dialog", priority: 20, all }
)

/**
 * @internal
 */
export const loginDialog = (...all: ReadonlyArray<string>): Rule => (
  { id: "login-dialog", state: "blocked", kind: "login", region: "dialog", priority: 10, all }
)

/**
 * @internal
 */
export const update = (...all: ReadonlyArray<string>): Rule => (
  { id: "update", state: "blocked", kind: "update", region: "dialog", all }
)
