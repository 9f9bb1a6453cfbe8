/**
 * The names of capabilities and how a runtime can have them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * @category models
 * @since 0.1.0
 */
export const Capability = Schema.Literals([
  "focus",
  "splitPane",
  "scrollback",
  "ansi",
  "rawOutput",
  "wakeUps",
  "agentState",
  "agentPrompt",
  "exitStatus",
  "setEnvironment",
  "attach",
  "sessions",
  "windowMetadata",
  "bracketedPaste",
  "resize"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Capability = typeof Capability.Type

/**
 * `native`: the program does it itself. `derived`: the contract makes it from other operations, slower or with weaker
 * evidence. `none`: refused.
 *
 * @category models
 * @since 0.1.0
 */
export const Support = Schema.Literals(["native", "derived", "none"])

/**
 * @category models
 * @since 0.1.0
 */
export type Support = typeof Support.Type

/**
 * The support of every capability.
 *
 * @category models
 * @since 0.1.0
 */
export const Capabilities = Schema.Record(Capability, Support)

/**
 * @category models
 * @since 0.1.0
 */
export type Capabilities = typeof Capabilities.Type
