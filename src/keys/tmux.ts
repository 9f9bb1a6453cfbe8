/**
 * Keys as `tmux send-keys` names them. tmux types a name that it does not know as text, and says nothing.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { Key } from "./key.ts"

/** Names that differ from ours; an empty one is not known to tmux. */
const names: ReadonlyMap<string, string> = new Map([
  ["Return", "Enter"],
  ["Backspace", "BSpace"],
  ["Insert", "IC"],
  ["Delete", "DC"],
  ["PageUp", "PPage"],
  ["PageDown", "NPage"],
  ...Array.from({ length: 12 }, (_, n) => [`F${n + 13}`, `S-F${n + 1}`] as const),
  ["KPDecimal", "KP."],
  ["KPDivide", "KP/"],
  ["KPMultiply", "KP*"],
  ["KPSubtract", "KP-"],
  ["KPAdd", "KP+"],
  ["KPEqual", ""],
  ["CancelMode", ""]
])

/** Characters that Ctrl makes another one of; tmux has no key for Ctrl with the others. */
const withCtrl = /^[a-z@[\\\]^_?]$/

/**
 * The name of a key for `tmux send-keys`. `None` where tmux has none: its bytes have to be sent instead. A `;` at the
 * end of an argument ends the command and has to be escaped by the caller.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toTmux = ({ alt, base, ctrl, shift }: Key): Option.Option<string> => {
  const held = `${ctrl ? "C-" : ""}${alt ? "M-" : ""}`
  if (base === "Tab" && shift) return Option.some(`${held}BTab`)
  const name = names.get(base) ?? base
  if (name === "") return Option.none()
  if (/^[A-Z][A-Za-z0-9]|^KP.$|^S-F/.test(name) && name.length > 1) {
    return Option.some(`${held}${shift && !name.startsWith("S-") ? "S-" : ""}${name}`)
  }
  const single = Array.from(name).length === 1
  return single && (!ctrl || withCtrl.test(name)) ? Option.some(`${held}${name}`) : Option.none()
}
