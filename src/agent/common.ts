/**
 * What all agents show alike. Rules of a profile go before these.
 *
 * @since 0.1.0
 */
import type { Encoded } from "./profile.ts"

/**
 * Changes with the rules that all profiles share and with how screens are read.
 *
 * @internal
 */
export const version = "5"

/**
 * @internal
 */
export const rules: Encoded["rules"] = [
  { id: "spinner", state: "working", region: "live", any: ["@spinner"] },
  { id: "footer-spinner", state: "working", region: "footer", any: ["@spinner"] },
  { id: "tail-spinner", state: "working", region: "tail", priority: -1, any: ["@spinner"] },
  { id: "background", state: "working", region: "live", priority: -2, any: ["@background"] },
  { id: "footer-background", state: "working", region: "footer", priority: -2, any: ["@background"] },
  { id: "activity", state: "unknown", region: "live", any: ["@activity"] },
  // no status line of this agent, so that it is no proof of work
  { id: "near-spinner", state: "unknown", region: "last", any: ["@status"] },
  { id: "near-tool", state: "unknown", region: "last", any: ["@running"] },
  { id: "near-work", state: "unknown", region: "last", any: ["@near"] },
  { id: "below", state: "unknown", region: "footer", any: ["@below"] },
  { id: "busy", state: "unknown", region: "composer", any: ["@busy"] },
  { id: "composer-spinner", state: "unknown", region: "composer", any: ["@spinner"] },
  { id: "footer-count", state: "unknown", region: "footer", any: ["@counted"] },
  { id: "title-action", state: "unknown", region: "title", any: ["\\baction required\\b"] },
  { id: "title", state: "unknown", region: "title", any: ["@turning"] }
]
