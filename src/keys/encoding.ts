/**
 * What a key sends to the program in a terminal that is xterm.
 *
 * The source is xterm with its default resources and `metaSendsEscape`, as its control sequences document and as the
 * entry `xterm-256color` of terminfo tells programs: PC-style function keys, modifiers as a parameter, Backspace as DEL.
 * F13 to F24 are the shifted F1 to F12 there. A modifier that xterm does not send with a key has no effect: Enter, Ctrl
 * Enter and Shift Enter send the same.
 *
 * @since 0.1.0
 */
import type { Key, Named } from "./key.ts"

/**
 * What the program asked the terminal for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Modes {
  /** DECCKM: arrows, Home and End are sent as SS3 sequences. */
  readonly applicationCursorKeys: boolean
  /** DECKPAM: keys of the keypad send SS3 sequences. Default false: they send what is printed on them. */
  readonly applicationKeypad?: boolean | undefined
  /**
   * The program asked for unambiguous keys by the kitty keyboard protocol (flag 1): Escape, and what legacy encoding
   * cannot tell apart, are sent as sequences of their own. Default false.
   */
  readonly disambiguate?: boolean | undefined
}

type Form =
  /** CSI, or SS3 in application mode, and a final byte. */
  | { readonly kind: "cursor"; readonly final: string }
  /** SS3 and a final byte: F1 to F4. */
  | { readonly kind: "function"; readonly final: string; readonly shift?: true }
  /** CSI, a number and a tilde. */
  | { readonly kind: "tilde"; readonly number: number; readonly shift?: true }
  | { readonly kind: "keypad"; readonly text: string; readonly final: string }
  | { readonly kind: "text"; readonly text: string; readonly ctrl?: string; readonly shift?: string }

const cursor = (final: string): Form => ({ kind: "cursor", final })
const fn = (final: string): Form => ({ kind: "function", final })
const tilde = (number: number): Form => ({ kind: "tilde", number })
const keypad = (text: string, final: string): Form => ({ kind: "keypad", text, final })
const text = (text: string, more: { readonly ctrl?: string; readonly shift?: string } = {}): Form => ({
  kind: "text",
  text,
  ...more
})

const forms: Record<Named, Form> = {
  Enter: text("\r"),
  Return: text("\r"),
  Tab: text("\t", { shift: "\x1b[Z" }),
  Escape: text("\x1b"),
  Backspace: text("\x7f", { ctrl: "\b" }),
  Space: text(" ", { ctrl: "\0" }),
  Insert: tilde(2),
  Delete: tilde(3),
  Home: cursor("H"),
  End: cursor("F"),
  PageUp: tilde(5),
  PageDown: tilde(6),
  Up: cursor("A"),
  Down: cursor("B"),
  Right: cursor("C"),
  Left: cursor("D"),
  F1: fn("P"),
  F2: fn("Q"),
  F3: fn("R"),
  F4: fn("S"),
  F5: tilde(15),
  F6: tilde(17),
  F7: tilde(18),
  F8: tilde(19),
  F9: tilde(20),
  F10: tilde(21),
  F11: tilde(23),
  F12: tilde(24),
  F13: { kind: "function", final: "P", shift: true },
  F14: { kind: "function", final: "Q", shift: true },
  F15: { kind: "function", final: "R", shift: true },
  F16: { kind: "function", final: "S", shift: true },
  F17: { kind: "tilde", number: 15, shift: true },
  F18: { kind: "tilde", number: 17, shift: true },
  F19: { kind: "tilde", number: 18, shift: true },
  F20: { kind: "tilde", number: 19, shift: true },
  F21: { kind: "tilde", number: 20, shift: true },
  F22: { kind: "tilde", number: 21, shift: true },
  F23: { kind: "tilde", number: 23, shift: true },
  F24: { kind: "tilde", number: 24, shift: true },
  KP0: keypad("0", "p"),
  KP1: keypad("1", "q"),
  KP2: keypad("2", "r"),
  KP3: keypad("3", "s"),
  KP4: keypad("4", "t"),
  KP5: keypad("5", "u"),
  KP6: keypad("6", "v"),
  KP7: keypad("7", "w"),
  KP8: keypad("8", "x"),
  KP9: keypad("9", "y"),
  KPDecimal: keypad(".", "n"),
  KPDivide: keypad("/", "o"),
  KPMultiply: keypad("*", "j"),
  KPSubtract: keypad("-", "m"),
  KPAdd: keypad("+", "k"),
  KPEqual: keypad("=", "X"),
  KPEnter: keypad("\r", "M"),
  // only the terminal's own modes hear it
  CancelMode: text("")
}

const formOf: ReadonlyMap<string, Form> = new Map(Object.entries(forms))

/** What Ctrl makes of the characters that X11 and xterm have a control character for; it changes no other. */
const controlOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0x40 && code <= 0x7e) return String.fromCharCode(code & 0x1f)
  if (character === "?" || character === "8") return "\x7f"
  if (character === "2") return "\0"
  if (character === "/") return "\x1f"
  return code >= 0x33 && code <= 0x37 ? String.fromCharCode(code - 0x33 + 0x1b) : character
}

/** A letter whose capital is two letters, such as `ß`, stays as it is. */
const capital = (character: string): string => {
  const upper = character.toUpperCase()
  return Array.from(upper).length === Array.from(character).length ? upper : character
}

const character = ({ base, ctrl, shift }: Key): string => {
  const typed = shift ? capital(base) : base
  return ctrl ? controlOf(typed) : typed
}

/** Keys without modifiers that stay as they are, so that a shell can be used after a program left the protocol on. */
const plainAlways = new Map([["Enter", 13], ["Tab", 9], ["Backspace", 127]])

/** As kitty has it; nothing where the legacy encoding stays. */
const unambiguous = ({ alt, base, ctrl, shift }: Key): string | undefined => {
  const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0)
  const suffix = modifier > 1 ? `;${modifier}` : ""
  if (base === "Escape") return `\x1b[27${suffix}u`
  const kept = plainAlways.get(base)
  if (kept !== undefined) return modifier > 1 ? `\x1b[${kept}${suffix}u` : undefined
  if (!ctrl && !alt) return undefined
  if (base === "Space") return `\x1b[32${suffix}u`
  return formOf.has(base) ? undefined : `\x1b[${base.toLowerCase().codePointAt(0) ?? 0}${suffix}u`
}

/**
 * What xterm sends for a key, as text whose UTF-8 bytes reach the program. Total; `CancelMode` is nothing.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (
  key: Key,
  { applicationCursorKeys, applicationKeypad = false, disambiguate = false }: Modes
): string => {
  const { alt, ctrl, shift } = key
  const own = disambiguate ? unambiguous(key) : undefined
  if (own !== undefined) return own
  const form = formOf.get(key.base) ?? { kind: "text", text: character(key) }
  const meta = alt ? "\x1b" : ""
  if (form.kind === "text") {
    if (form.text === "") return ""
    return meta + ((shift ? form.shift : undefined) ?? (ctrl ? form.ctrl : undefined) ?? form.text)
  }
  if (form.kind === "keypad") return meta + (applicationKeypad ? `\x1bO${form.final}` : form.text)

  const shifted = shift || (form.kind !== "cursor" && form.shift === true)
  const modifier = 1 + (shifted ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0)
  if (form.kind === "tilde") return modifier > 1 ? `\x1b[${form.number};${modifier}~` : `\x1b[${form.number}~`
  if (modifier > 1) return `\x1b[1;${modifier}${form.final}`
  return form.kind === "function" || applicationCursorKeys ? `\x1bO${form.final}` : `\x1b[${form.final}`
}

/**
 * Whether a key types a character, as text does.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCharacter = ({ alt, base, ctrl }: Key): boolean =>
  !ctrl && !alt && (base === "Space" || !formOf.has(base))

/**
 * Whether a program that reads lines takes a key for the end of one: Enter, the keys that send what it sends, and the
 * keypad's. For what counts as submitting in a send, see `isEnter`.
 *
 * @category guards
 * @since 0.1.0
 */
export const submits = (key: Key): boolean => /^[\r\n]$/.test(encode(key, { applicationCursorKeys: false }))
