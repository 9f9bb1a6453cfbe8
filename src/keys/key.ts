/**
 * What a key is.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Keys that have a name. Every other key is named by the character that it types.
 *
 * `Return` is the key Enter for programs, but it is not {@link enter}: only `Enter` counts as the key that submits.
 * `KP...` are the keys of the keypad. `CancelMode` leaves a mode of the terminal, such as tmux's copy mode, by the key
 * that this mode needs; where the program has the keys already it does nothing.
 *
 * @category models
 * @since 0.1.0
 */
export const Named = Schema.Literals([
  "Enter",
  "Return",
  "Tab",
  "Escape",
  "Backspace",
  "Space",
  "Insert",
  "Delete",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Up",
  "Down",
  "Left",
  "Right",
  "F1",
  "F2",
  "F3",
  "F4",
  "F5",
  "F6",
  "F7",
  "F8",
  "F9",
  "F10",
  "F11",
  "F12",
  "F13",
  "F14",
  "F15",
  "F16",
  "F17",
  "F18",
  "F19",
  "F20",
  "F21",
  "F22",
  "F23",
  "F24",
  "KP0",
  "KP1",
  "KP2",
  "KP3",
  "KP4",
  "KP5",
  "KP6",
  "KP7",
  "KP8",
  "KP9",
  "KPDecimal",
  "KPDivide",
  "KPMultiply",
  "KPSubtract",
  "KPAdd",
  "KPEqual",
  "KPEnter",
  "CancelMode"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Named = typeof Named.Type

/** Made at first use: most keys are one UTF-16 unit and need none. */
const segmenter: { graphemes?: Intl.Segmenter } = {}

const isOneGrapheme = (text: string): boolean => {
  const graphemes = segmenter.graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  const [first, second] = graphemes.segment(text)
  return first !== undefined && second === undefined
}

/** No key types more. */
const longest = 64

/**
 * Whether a text is one character as people see it, such as `a`, `é` or a flag. A blank is the key `Space`, and control
 * characters are typed by keys with Ctrl.
 *
 * @internal
 */
export const isOneCharacter = (text: string): boolean => {
  if (text.length === 0 || text.length > longest || /[\u0000-\u0020\u007f-\u009f]|\p{Cs}/u.test(text)) return false
  if (text.length === 1) return true
  return /[^\u0000-\u007f]/.test(text) && isOneGrapheme(text)
}

/**
 * One keystroke: a named key or a single character, with its modifiers. Prints as a spelling that `parse` reads.
 *
 * @category models
 * @since 0.1.0
 */
export class Key extends Schema.TaggedClass<Key>("paneway/Key")("Key", {
  base: Schema.Union([
    Named,
    Schema.String.pipe(Schema.check(Schema.makeFilter(isOneCharacter, { expected: "one character" })))
  ]),
  ctrl: Schema.Boolean,
  alt: Schema.Boolean,
  shift: Schema.Boolean
}) {
  /** Modifiers as tmux writes them, then the name: `C-M-Up`. */
  override toString(): string {
    return `${this.ctrl ? "C-" : ""}${this.alt ? "M-" : ""}${this.shift ? "S-" : ""}${this.base}`
  }
}

/**
 * Keys that are held down with another.
 *
 * @category models
 * @since 0.1.0
 */
export interface Modifiers {
  readonly ctrl?: boolean | undefined
  readonly alt?: boolean | undefined
  readonly shift?: boolean | undefined
}

/**
 * A named key or a character with its modifiers. Throws for a text that is no single character: read text with `parse`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (base: Key["base"], { alt = false, ctrl = false, shift = false }: Modifiers = {}): Key =>
  new Key({ base, ctrl, alt, shift })

/**
 * The key that submits.
 *
 * @category constructors
 * @since 0.1.0
 */
export const enter: Key = make("Enter")

/**
 * True for Enter without modifiers, the only key that counts as submitting.
 *
 * @category guards
 * @since 0.1.0
 */
export const isEnter = (key: Key): boolean => key.base === "Enter" && !key.ctrl && !key.alt && !key.shift
