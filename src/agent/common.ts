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
export const version = "1"

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
  { id: "title", state: "unknown", region: "title", any: ["@turning"] }
]
