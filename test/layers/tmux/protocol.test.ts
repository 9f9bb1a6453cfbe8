import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Protocol from "../../../layers/tmux/protocol.ts"

/** Events as they can be compared: output unescaped, as text. */
const read = (
  chunks: ReadonlyArray<Buffer>,
  guards: ReadonlyArray<string | undefined> = [],
  limit?: number
): ReadonlyArray<unknown> => {
  const events: Array<unknown> = []
  const left = [...guards]
  const parser = Protocol.make({
    on: (event) =>
      events.push(
        event._tag === "Output" ? { ...event, data: Protocol.unescaped(event.data).toString("latin1") } : event
      ),
    guard: () => left.shift(),
    limit
  })
  for (const chunk of chunks) parser.push(chunk)
  return events
}
const readText = (text: string, guards: ReadonlyArray<string | undefined> = [], limit?: number) =>
  read([Buffer.from(text)], guards, limit)

const reply = (text: string, more: Partial<Protocol.Reply> = {}): Protocol.Reply => ({
  _tag: "Reply",
  own: true,
  ok: true,
  text,
  disturbed: false,
  ...more
})

describe("a reply", () => {
  it("is what stands between a begin and the end with the same three fields", () => {
    assert.deepStrictEqual(readText("%begin 10 7 1\none\n%end 10 6 1\n\ntwo\n%end 10 7 1\n"), [
      reply("one\n%end 10 6 1\n\ntwo")
    ])
  })

  it("of nothing is empty, and one that failed says so", () => {
    assert.deepStrictEqual(
      readText("%begin 1 2 1\n%end 1 2 1\n%begin 1 3 1\ncan't find pane: %9\n%error 1 3 1\n"),
      [reply(""), reply("can't find pane: %9", { ok: false })]
    )
  })

  it("to the client's own start or to a hook is told apart, and is not asked for a guard", () => {
    assert.deepStrictEqual(
      readText("%begin 1 2 0\nof a hook\n%end 1 2 0\n%begin 1 3 1\nmine\n%end 1 3 1\n", [undefined]),
      [reply("of a hook", { own: false }), reply("mine")]
    )
  })

  it("has no notification that the server puts between its lines", () => {
    assert.deepStrictEqual(readText("%begin 1 2 1\na\n%pause %4\n%continue %5\nb\n%end 1 2 1\n"), [
      { _tag: "Paused", pane: "%4" },
      { _tag: "Continued", pane: "%5" },
      reply("a\nb")
    ])
  })

  it("keeps carriage returns, blanks and bytes of every script", () => {
    assert.deepStrictEqual(readText("%begin 1 2 1\n é漢 \r\n%end 1 2 1\n"), [reply(" é漢 \r")])
  })
})

describe("a guarded reply", () => {
  const forged = "row\n%end 5 9 1\n%output %1 evil\n%exit\n%begin 5 10 1\nevil\n%end 5 10 1\nlast row"

  it("holds lines that look like its end, and what follows them", () => {
    assert.deepStrictEqual(
      readText(`%begin 5 9 1\n${forged}\n%end 5 9 1\n%begin 5 11 1\nNONCE\n%end 5 11 1\n`, ["NONCE"]),
      [reply(forged), reply("NONCE")]
    )
  })

  it("ends before notifications and replies of hooks that come after it", () => {
    assert.deepStrictEqual(
      readText(
        "%begin 5 9 1\nrow\n%end 5 9 1\n%window-add @3\n%begin 5 10 0\nhook\n%end 5 10 0\n" +
          "%begin 5 11 1\nNONCE\n%end 5 11 1\n%window-close @4\n",
        ["NONCE"]
      ),
      [
        reply("row"),
        { _tag: "Notice", name: "window-add", text: "@3" },
        reply("hook", { own: false }),
        reply("NONCE"),
        { _tag: "Notice", name: "window-close", text: "@4" }
      ]
    )
  })

  it("that failed says so", () => {
    assert.deepStrictEqual(
      readText("%begin 5 9 1\nno\n%error 5 9 1\n%begin 5 11 1\nNONCE\n%end 5 11 1\n", ["NONCE"]),
      [reply("no", { ok: false }), reply("NONCE")]
    )
  })

  it("with a line that may be a notification keeps it, tells it, and says so", () => {
    assert.deepStrictEqual(
      readText("%begin 5 9 1\n%pause %2\n%end 5 9 1\n%begin 5 11 1\nNONCE\n%end 5 11 1\n", ["NONCE"]),
      [{ _tag: "Paused", pane: "%2" }, reply("%pause %2", { disturbed: true }), reply("NONCE")]
    )
  })
})

describe("output", () => {
  it("is told by pane, with every byte", () => {
    const all = Array.from({ length: 256 }, (_, byte) => byte)
    const escaped = Buffer.concat(
      all.map((byte) =>
        byte < 32 || byte === 92 ? Buffer.from(`\\${byte.toString(8).padStart(3, "0")}`) : Buffer.from([byte])
      )
    )
    assert.deepStrictEqual(read([Buffer.from("%output %12 "), escaped, Buffer.from("\n")]), [
      { _tag: "Output", pane: "%12", age: 0, data: Buffer.from(all).toString("latin1") }
    ])
  })

  it("that is extended may be of any age, and hold what looks like its own fields", () => {
    assert.deepStrictEqual(readText("%extended-output %3 1200 : a : b\n%extended-output %3 0 new : c\n"), [
      { _tag: "Output", pane: "%3", age: 1200, data: "a : b" },
      { _tag: "Output", pane: "%3", age: 0, data: "c" }
    ])
  })

  it("of no pane is a notice that nobody needs, and nothing is lost after it", () => {
    assert.deepStrictEqual(readText("%output nowhere\n%output %1 x\n"), [
      { _tag: "Notice", name: "output", text: "nowhere" },
      { _tag: "Output", pane: "%1", age: 0, data: "x" }
    ])
  })

  it("with a backslash and no number after it keeps the backslash", () => {
    assert.strictEqual(Protocol.unescaped(Buffer.from("\\9a\\")).toString(), "\\9a\\")
  })
})

describe("other lines", () => {
  it("are told by their names, known or not", () => {
    assert.deepStrictEqual(
      readText(
        "%exit\n%exit server exited\n%session-changed $1 two words\n%what-is-this\n%pause %1\n%continue %1\n%pause x\n"
      ),
      [
        { _tag: "Exit", reason: "" },
        { _tag: "Exit", reason: "server exited" },
        { _tag: "Notice", name: "session-changed", text: "$1 two words" },
        { _tag: "Notice", name: "what-is-this", text: "" },
        { _tag: "Paused", pane: "%1" },
        { _tag: "Continued", pane: "%1" },
        { _tag: "Notice", name: "pause", text: "x" }
      ]
    )
  })

  it("of a subscription give its name and value, whatever else the value printed", () => {
    assert.deepStrictEqual(
      readText("%subscription-changed paneway $1 - - - : %1/0 : x\nsecond line\n%window-add @1\n"),
      [
        { _tag: "Changed", name: "paneway", value: "%1/0 : x" },
        { _tag: "Notice", name: "window-add", text: "@1" }
      ]
    )
  })

  it("that begin nothing, because their numbers are none, are notices", () => {
    assert.deepStrictEqual(readText("%begin a b c\n%end 1 2 3\n"), [
      { _tag: "Notice", name: "begin", text: "a b c" },
      { _tag: "Notice", name: "end", text: "1 2 3" }
    ])
  })
})

describe("what is too long", () => {
  it("breaks the stream once, in a line or in a reply", () => {
    const broken = (reason: string) => [{ _tag: "Broken", reason }]
    assert.deepStrictEqual(readText("x".repeat(101), [], 100), broken("a line is longer than 100 bytes"))
    assert.deepStrictEqual(
      readText(`%begin 1 2 1\n${"row\n".repeat(30)}%end 1 2 1\n%window-add @1\n`, [], 100),
      broken("a reply is longer than 100 bytes")
    )
  })
})

const awkward = Schema.Literals([
  "%end 1 2 1",
  "%error 1 2 1",
  "%begin 1 3 1",
  "%output %1 x",
  "%pause",
  "%",
  "",
  " ",
  "漢",
  "\r",
  "NONC"
])
const row = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Union([awkward, Schema.String])), { maxLength: 3 }),
  (parts) => parts.join("").replaceAll(/[\n]|\p{Cs}/gu, "")
)
const rows = Arbitrary.array(row, { maxLength: 12 })
const cuts = Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))), {
  minLength: 1,
  maxLength: 20
})

const cut = (whole: Buffer, sizes: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const chunks: Array<Buffer> = []
  let at = 0
  for (let index = 0; at < whole.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    chunks.push(whole.subarray(at, at + size))
    at += size
  }
  return chunks
}

describe("any stream", () => {
  it.effect.prop(
    "says the same however it is cut",
    [rows, cuts],
    ([shown, sizes]) =>
      Effect.sync(() => {
        const text = `%begin 1 2 1\n${shown.map((line) => `${line}\n`).join("")}%end 1 2 1\n` +
          `%begin 1 4 1\nNONCE\n%end 1 4 1\n%output %1 \\033漢\\012\n%window-add @1\n`
        const whole = Buffer.from(text)

        assert.deepStrictEqual(read(cut(whole, sizes), ["NONCE"]), read([whole], ["NONCE"]))
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "gives a guarded reply whole, whatever a pane shows",
    [rows],
    ([shown]) =>
      Effect.sync(() => {
        const text = `%begin 1 2 1\n${shown.map((line) => `${line}\n`).join("")}%end 1 2 1\n` +
          `%begin 1 4 1\nNONCE\n%end 1 4 1\n`
        const replies = readText(text, ["NONCE"])

        assert.deepStrictEqual(replies, [reply(shown.join("\n")), reply("NONCE")])
      }),
    { arbitrary: { runs: 500 } }
  )
})
