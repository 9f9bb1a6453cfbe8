/**
 * Keys as `tmux send-keys` names them. tmux types a name that it does not know as text, and says nothing.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { encode } from "./encoding.ts"
import { type Key, make, Named } from "./key.ts"

const isNamed = Schema.is(Named)

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

/** Keys that tmux sends with any modifier. The others it sends with Alt at most: with Ctrl or Shift it sends nothing. */
const modifiable = /^(?:Up|Down|Left|Right|Home|End|IC|DC|PPage|NPage|(?:S-)?F\d+)$/

/** Characters that Ctrl makes another one of; tmux has no key for Ctrl with the others. */
const withCtrl = /^[a-z@[\\\]^_?]$/

const named = (name: string, { alt, ctrl, shift }: Key): string | undefined => {
  const meta = alt ? "M-" : ""
  if (modifiable.test(name)) return `${ctrl ? "C-" : ""}${meta}${shift && !name.startsWith("S-") ? "S-" : ""}${name}`
  if (name === "Tab" && shift) return ctrl ? undefined : `${meta}BTab`
  if (name === "Space" && ctrl) return `C-${meta}Space`
  return ctrl || shift ? undefined : meta + name
}

const character = ({ alt, base, ctrl, shift }: Key): string | undefined => {
  const typed = shift && !ctrl ? encode(make(base, { shift }), { applicationCursorKeys: false }) : base
  if (Array.from(typed).length !== 1 || (ctrl && !withCtrl.test(typed))) return undefined
  return `${ctrl ? "C-" : ""}${alt ? "M-" : ""}${typed}`
}

/**
 * The name of a key for `tmux send-keys`, as tmux 3.3a and later read it. `None` where tmux has none, or would send
 * nothing: the key's bytes have to be sent instead. A `;` at the end of an argument ends the command and has to be
 * escaped by the caller.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toTmux = (key: Key): Option.Option<string> => {
  const name = names.get(key.base) ?? key.base
  if (name === "") return Option.none()
  return Option.fromUndefinedOr(isNamed(key.base) ? named(name, key) : character(key))
}
