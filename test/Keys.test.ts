import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Keys from "../src/Keys.ts"

const parsed = (text: string) => Result.map(Keys.parse(text), String)

/** Held keys, then the base; a spelling in any case unless the base is a character. */
const spellings: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["Enter", ["Enter", "enter", "ENTER", " Enter\n", "\tenter "]],
  ["Return", ["Return", "return"]],
  ["KPEnter", ["KPEnter", "kp_enter", "KP_ENTER"]],
  ["C-m", ["C-m", "C-M", "c-m", "ctrl+m", "CTRL+M", "Control-m", "^M", "^m"]],
  ["C-c", ["C-c", "c-c", "C-C", "ctrl+c", "ctrl-c", "control+c", "^C", "^c"]],
  ["M-x", ["M-x", "m-x", "alt+x", "Alt-x", "option+x", "opt+x", "meta+x"]],
  ["M-X", ["M-X", "alt+X", "alt+shift+x", "M-S-x"]],
  ["C-M-x", ["C-M-x", "M-C-x", "ctrl+alt+x", "alt+ctrl+X", "^M-x"]],
  ["C-S-c", ["ctrl+shift+c", "C-S-c", "shift+ctrl+C"]],
  ["S-Up", ["S-Up", "s-up", "shift+up", "shift+arrow_up", "S-UpArrow"]],
  ["C-M-S-Left", ["C-M-S-Left", "shift+alt+ctrl+left"]],
  ["S-Tab", ["BTab", "btab", "S-Tab", "shift+tab", "back_tab", "S-BTab"]],
  ["C-S-Tab", ["C-BTab", "ctrl+shift+tab"]],
  ["PageUp", ["PPage", "ppage", "PageUp", "page_up", "page-up", "pgup", "PgUp", "prior"]],
  ["PageDown", ["NPage", "PageDown", "page_down", "pgdn", "next"]],
  ["C-PageDown", ["C-NPage", "ctrl+page_down"]],
  ["Backspace", ["BSpace", "Backspace", "backspace", "bs"]],
  ["Delete", ["DC", "Delete", "del"]],
  ["Insert", ["IC", "Insert", "ins"]],
  ["Escape", ["Escape", "escape", "esc", "ESC"]],
  ["Space", ["Space", "space", "spc"]],
  ["C-Space", ["C-Space", "ctrl+space"]],
  ["F1", ["F1", "f1"]],
  ["F24", ["F24", "f24"]],
  ["S-F5", ["S-F5", "shift+f5"]],
  ["KP5", ["KP5", "kp_5", "kp5"]],
  ["KPDecimal", ["KP.", "kp_decimal"]],
  ["KPDivide", ["KP/", "kp_divide"]],
  ["KPMultiply", ["KP*", "kp_multiply"]],
  ["KPSubtract", ["KP-", "kp_subtract"]],
  ["KPAdd", ["KP+", "kp_add"]],
  ["KPEqual", ["kp_equal", "KP="]],
  ["CancelMode", ["CancelMode", "cancel-mode", "cancel_mode", "cancelmode"]],
  ["a", ["a"]],
  ["A", ["A", "S-a", "shift+a", "shift+A"]],
  ["1", ["1"]],
  ["-", ["-", "minus", "hyphen"]],
  ["+", ["+", "plus"]],
  ["^", ["^"]],
  ["C-^", ["^^", "C-^", "ctrl+^"]],
  ["C--", ["C--", "ctrl+-", "ctrl--", "ctrl+minus"]],
  ["C-+", ["C-+", "ctrl++", "ctrl+plus"]],
  ["C-[", ["^[", "C-["]],
  ["C-?", ["^?", "C-?"]],
  ["C-@", ["^@", "C-@"]],
  ["\"", ["\"", "double_quote"]],
  ["'", ["'", "quote"]],
  [";", [";", "semicolon"]],
  ["%", ["%", "percent"]],
  ["`", ["`", "backtick"]],
  ["é", ["é"]],
  ["e\u0301", ["e\u0301"]],
  ["漢", ["漢"]],
  ["😀", ["😀"]],
  ["👩‍👩‍👧", ["👩‍👩‍👧"]],
  ["🇨🇭", ["🇨🇭"]],
  ["\u00a0", ["\u00a0"]]
]

describe("a key", () => {
  it("is read in the spellings of tmux, kitty and herdr", () => {
    for (const [key, texts] of spellings) {
      for (const text of texts) assert.deepStrictEqual(parsed(text), Result.succeed(key), text)
    }
  })

  it("is read from any of its names, in any case, with every modifier", () => {
    for (const name of Keys.Named.literals.filter((name) => name !== "CancelMode")) {
      for (const text of [name, name.toLowerCase(), name.toUpperCase()]) {
        assert.deepStrictEqual(
          Keys.parse(`C-M-S-${text}`),
          Result.succeed(Keys.make(name, { ctrl: true, alt: true, shift: true }))
        )
      }
    }
  })

  it("that does not exist is a failure that is the text", () => {
    const texts = [
      "",
      " ",
      "Entr",
      "Ctrl",
      "C-",
      "ctrl+",
      "ab",
      "aé",
      "C-ab",
      "c+x",
      "super+x",
      "cmd+c",
      "hyper+x",
      "F0",
      "F25",
      "KP",
      "KP10",
      "0x41",
      "User0",
      "MouseDown1Pane",
      "C-CancelMode",
      "^CancelMode",
      "\u0003",
      "\u001b",
      "\u007f",
      "\u009b",
      "\ud83d",
      "a\n b",
      `a${"\u0301".repeat(100)}`,
      "__proto__",
      "constructor"
    ]
    for (const text of texts) assert.deepStrictEqual(Keys.parse(text), Result.fail(text))
  })

  it("that is parsed already is itself", () => {
    const key = Keys.make("Up", { alt: true })

    assert.deepStrictEqual(Keys.parse(key), Result.succeed(key))
  })

  it("is made of one character or a name only", () => {
    for (const base of ["", " ", "ab", "\n", "\u0000", "\ud83d"]) assert.throws(() => Keys.make(base))
    assert.strictEqual(Keys.make("é").base, "é")
  })

  it("submits as Enter alone does: other keys that end a line are not Enter", () => {
    const enters = ["Enter", " enter ", "ENTER"]
    const others = ["Return", "C-m", "C-j", "KPEnter", "S-Enter", "M-Enter", "C-Enter", "a", "CancelMode"]
    const is = (text: string) => Result.match(Keys.parse(text), { onFailure: () => false, onSuccess: Keys.isEnter })

    assert.deepStrictEqual(enters.map(is), [true, true, true])
    assert.deepStrictEqual(others.filter(is), [])
    assert.deepStrictEqual(
      others.filter((text) => Keys.submits(Result.getOrThrow(Keys.parse(text)))),
      ["Return", "C-m", "C-j", "KPEnter", "S-Enter", "C-Enter"]
    )
  })
})

const anyKey = Arbitrary.map(
  Arbitrary.all({
    base: Arbitrary.schema(Schema.Union([
      Keys.Named,
      Schema.Literals([
        "a",
        "Z",
        "1",
        "-",
        "+",
        "^",
        "S",
        "c",
        "?",
        "é",
        "ß",
        "漢",
        "😀",
        "👩‍👩‍👧",
        "\u00a0",
        "~",
        ";",
        "{"
      ])
    ])),
    ctrl: Arbitrary.schema(Schema.Boolean),
    alt: Arbitrary.schema(Schema.Boolean),
    shift: Arbitrary.schema(Schema.Boolean)
  }),
  ({ base, ...held }) => Keys.make(base, base === "CancelMode" ? {} : held)
)
const modes = Arbitrary.schema(
  Schema.Struct({ applicationCursorKeys: Schema.Boolean, applicationKeypad: Schema.Boolean })
)

describe("any key", () => {
  it.effect.prop(
    "is read from what it prints, and sends the same then",
    [anyKey, modes],
    ([key, modes]) =>
      Effect.sync(() => {
        const again = Result.getOrThrow(Keys.parse(key.toString()))

        assert.strictEqual(Keys.encode(again, modes), Keys.encode(key, modes))
        assert.deepStrictEqual(Keys.parse(again.toString()), Result.succeed(again))
      }),
    { arbitrary: { runs: 1000 } }
  )

  it.effect.prop(
    "sends something short, and nothing only when it leaves a mode",
    [anyKey, modes],
    ([key, modes]) =>
      Effect.sync(() => {
        const sent = Keys.encode(key, modes)

        assert.strictEqual(sent === "", key.base === "CancelMode")
        assert.isAtMost(sent.length, key.base.length + 8)
      }),
    { arbitrary: { runs: 1000 } }
  )

  it.effect.prop("is the same after a round trip as JSON", [anyKey], ([key]) =>
    Effect.gen(function*() {
      const codec = Schema.toCodecJson(Keys.Key)
      const again = yield* Schema.decodeEffect(codec)(yield* Schema.encodeEffect(codec)(key))

      assert.deepStrictEqual(again, key)
    }))
})

describe("tmux's name of a key", () => {
  const name = (text: string) => Keys.toTmux(Result.getOrThrow(Keys.parse(text)))

  it("is the one that it has", () => {
    const names: ReadonlyArray<readonly [string, string]> = [
      ["Enter", "Enter"],
      ["Return", "Enter"],
      ["KPEnter", "KPEnter"],
      ["shift+tab", "BTab"],
      ["alt+shift+tab", "M-BTab"],
      ["alt+enter", "M-Enter"],
      ["ctrl+alt+space", "C-M-Space"],
      ["page_up", "PPage"],
      ["ctrl+page_down", "C-NPage"],
      ["backspace", "BSpace"],
      ["delete", "DC"],
      ["insert", "IC"],
      ["C-M-S-Up", "C-M-S-Up"],
      ["F12", "F12"],
      ["F13", "S-F1"],
      ["ctrl+F24", "C-S-F12"],
      ["shift+F14", "S-F2"],
      ["kp_decimal", "KP."],
      ["KP-", "KP-"],
      ["a", "a"],
      ["shift+a", "A"],
      ["alt+X", "M-X"],
      ["ctrl+shift+c", "C-c"],
      ["ctrl+c", "C-c"],
      [";", ";"],
      ["é", "é"],
      ["ctrl+space", "C-Space"],
      ["ctrl+[", "C-["]
    ]

    assert.deepStrictEqual(names.map(([text]) => name(text)), names.map(([, tmux]) => Option.some(tmux)))
  })

  it("is none where tmux would type the name, or send something else", () => {
    for (
      const text of [
        "CancelMode",
        "KPEqual",
        "S-Enter",
        "C-Tab",
        "C-BTab",
        "S-Space",
        "C-KP5",
        "👩‍👩‍👧",
        "e\u0301",
        "ctrl+é",
        "ctrl+1",
        "ctrl+;"
      ]
    ) {
      assert.deepStrictEqual(name(text), Option.none(), text)
    }
  })
})
