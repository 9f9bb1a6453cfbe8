import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Target from "../src/Target.ts"

const identity = {
  runtime: "tmux",
  host: "build-1",
  scope: "/tmp/tmux-1000/default",
  incarnation: "812@1764500000",
  id: "%12"
}
const pane = new Target.PaneHandle(identity)

const digestOf = (kind: string, { host, id, incarnation, runtime, scope }: Target.Handle) =>
  createHash("sha256").update([runtime, host, kind, scope, incarnation, id].join("\0")).digest("hex").slice(0, 10)

describe("a printed handle", () => {
  it("is the runtime, the id and the digest, and says the scope only where the runtime's default does not", () => {
    const cases: ReadonlyArray<readonly [Partial<typeof identity>, string]> = [
      [{}, "tmux:%12~D"],
      [{ scope: "/run/user/1000/tmux/default" }, "tmux:%12~D"],
      [{ scope: "/tmp/tmux-1000/my work" }, "tmux:%12~D@%2Ftmp%2Ftmux-1000%2Fmy%20work"],
      [{ scope: "" }, "tmux:%12~D@"],
      [{ runtime: "pty", id: "p1", scope: "/run/user/1000/paneway/host.sock" }, "pty:p1~D"],
      [{ runtime: "pty", id: "p1", scope: "process-7-ab" }, "pty:p1~D@process-7-ab"],
      [{ runtime: "herdr", id: "w1:p1", scope: "/h/herdr.sock" }, "herdr:w1:p1~D@%2Fh%2Fherdr.sock"],
      [{ runtime: "x", id: "a b;~$(c)=é", scope: "s~@:" }, "x:a=20b=3B=7E=24=28c=29=3D=C3=A9~D@s%7E%40%3A"]
    ]
    for (const [fields, word] of cases) {
      const handle = new Target.PaneHandle({ ...identity, ...fields })

      assert.strictEqual(`${handle}`, word.replace("~D", `~${digestOf("pane", handle)}`))
    }
    assert.strictEqual(
      `${new Target.WindowHandle(identity)}`,
      `tmux:%12~${digestOf("window", pane)}`
    )
  })

  it("is read as what it says", () => {
    const other = new Target.PaneHandle({ ...identity, scope: "/x/other" })

    assert.deepStrictEqual(
      Target.parse(`${pane}`),
      Option.some({ runtime: "tmux", id: "%12", digest: digestOf("pane", pane), word: `${pane}` })
    )
    assert.deepStrictEqual(
      Option.map(Target.parse(`${other}`), ({ scope }) => scope),
      Option.some("/x/other")
    )
  })

  it("is refused when anything in it was changed", () => {
    const other = new Target.PaneHandle({ ...identity, scope: "/x/other" })
    const words = [`${pane}`, `${other}`]
    for (const word of words) {
      for (let at = 0; at < word.length; at++) {
        for (const character of ["0", "f", "~", ":", "@", "%", "="]) {
          const changed = word.slice(0, at) + character + word.slice(at + 1)
          if (changed === word) continue
          const printed = Target.parse(changed)
          const denotes = Option.isSome(printed) && [pane, other].some((each) => Target.printedBy(printed.value, each))

          assert.isFalse(denotes, changed)
        }
      }
      assert.isTrue(Option.isSome(Target.parse(word)))
    }
  })

  it("is no native id, and no text that only looks like one throws", () => {
    const texts = [
      "",
      ":",
      "~",
      "%1",
      "@3",
      "w1:p1",
      "terminal_1",
      "tmux:%1",
      "tmux:%1~",
      "tmux:%1~0123456789a",
      "tmux:%1~012345678",
      "tmux:%1~012345678G",
      "tmux:~0123456789",
      ":%1~0123456789",
      "tmux:%1~0123456789@%",
      "tmux:%1~0123456789@%zz",
      "tmux:%1~0123456789@%2f",
      "tmux:%1~0123456789@%41",
      "tmux:%1~0123456789@%FF",
      "tmux:%1~0123456789@default",
      "tmux:=~0123456789",
      "tmux:=ZZ~0123456789",
      "tmux:=41~0123456789",
      "tmux:=FF~0123456789",
      "tmux:%1~0123456789\n",
      " tmux:%1~0123456789"
    ]

    assert.deepStrictEqual(texts.filter((text) => Option.isSome(Target.parse(text))), [])
  })

  it("of the default scope comes from any server with that name, and of another scope from that one only", () => {
    const printed = Option.getOrThrow(Target.parse(`${pane}`))
    const other = Option.getOrThrow(Target.parse(`${new Target.PaneHandle({ ...identity, scope: "/x/other" })}`))

    assert.isTrue(Target.isFrom(printed, pane))
    assert.isFalse(Target.isFrom(printed, { runtime: "tmux", scope: "/x/other" }))
    assert.isFalse(Target.isFrom(printed, { runtime: "pty", scope: "/x/host.sock" }))
    assert.isTrue(Target.isFrom(other, { runtime: "tmux", scope: "/x/other" }))
    assert.isFalse(Target.isFrom(other, pane))
  })

  it("is printed once for a handle", () => {
    const handle = new Target.PaneHandle(identity)
    const read = { times: 0 }
    const { id } = handle
    Object.defineProperty(handle, "id", {
      get: () => {
        read.times += 1
        return id
      }
    })
    const first = handle.toString()
    const { times } = read

    assert.isAbove(times, 0)
    assert.strictEqual(handle.toString(), first)
    assert.strictEqual(read.times, times)
  })

  it("leaves handles equal by value", () => {
    const handle = new Target.PaneHandle(identity)
    handle.toString()

    assert.deepStrictEqual(handle, new Target.PaneHandle(identity))
    assert.deepStrictEqual(Object.keys(handle).toSorted(), ["_tag", "host", "id", "incarnation", "runtime", "scope"])
  })

  it("case 65: is another word after a restart of the server, although the id is the same", () => {
    const printed = Option.getOrThrow(Target.parse(`${pane}`))
    const reissued = new Target.PaneHandle({ ...identity, incarnation: "813@1764500009" })

    assert.strictEqual(reissued.id, printed.id)
    assert.isTrue(Target.printedBy(printed, pane))
    assert.isFalse(Target.printedBy(printed, reissued))
  })

  it("case 74: is another word on another host, of another runtime and of another server", () => {
    const words = [{}, { host: "b" }, { runtime: "kitty" }, { scope: "/b/default" }, { scope: "/b/x" }].map((fields) =>
      `${new Target.PaneHandle({ ...identity, ...fields })}`
    )

    assert.strictEqual(new Set(words).size, words.length)
  })
})

/** Text that a shell, the form of a word or UTF-8 could trip over, and any other. */
const awkward = Schema.Literals([
  "~",
  ":",
  "@",
  "%",
  "%41",
  "%zz",
  "=",
  "=41",
  " ",
  "\n",
  "'",
  "\"",
  "`x`",
  "$HOME",
  "$(id)",
  ";",
  "&",
  "|",
  "*",
  "?",
  "[a]",
  "{a,b}",
  "\\",
  "!",
  "#",
  "-",
  "/",
  "..",
  "é",
  "漢",
  "😀",
  "\ufeff",
  "\u202e",
  "\u0007",
  "default",
  "/tmp/default",
  "host.sock"
])
const text = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Union([awkward, Schema.String])), { maxLength: 4 }),
  (parts) => parts.join("").replaceAll(/\0|\p{Cs}/gu, "")
)
const some = Arbitrary.map(text, (value) => value === "" ? "0" : value)
const fields = Arbitrary.all({ runtime: some, host: text, scope: text, incarnation: text, id: some })

describe("any handle", () => {
  it.effect.prop(
    "is read back from its word, which denotes it and its kind alone",
    [fields],
    ([handle]) =>
      Effect.sync(() => {
        const pane = new Target.PaneHandle(handle)
        const window = new Target.WindowHandle(handle)
        const printed = Option.getOrThrow(Target.parse(`${pane}`))

        assert.strictEqual(printed.runtime, handle.runtime)
        assert.strictEqual(printed.id, handle.id)
        assert.isTrue(printed.scope === undefined || printed.scope === handle.scope)
        assert.isTrue(Target.isFrom(printed, pane))
        assert.isTrue(Target.printedBy(printed, new Target.PaneHandle(handle)))
        assert.isFalse(Target.printedBy(printed, window))
        assert.notStrictEqual(`${pane}`, `${window}`)
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "has another word in another scope",
    [fields, text],
    ([handle, scope]) =>
      Effect.sync(() =>
        scope === handle.scope ||
        `${new Target.PaneHandle(handle)}` !== `${new Target.PaneHandle({ ...handle, scope })}`
      ),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "is one word for a shell",
    [Arbitrary.array(fields, { minLength: 20, maxLength: 60 })],
    ([handles]) =>
      Effect.sync(() => {
        const words = handles.flatMap((handle) => [
          `${new Target.PaneHandle(handle)}`,
          `${new Target.WindowHandle(handle)}`
        ])
        const script = `set -- ${words.join(" ")}\nprintf '%s\\n' "$@"\nx=${words[0]}\nprintf '%s' "$x"`
        const heard = execFileSync("sh", ["-c", script], { encoding: "utf8", cwd: "/" })

        assert.deepStrictEqual(heard.split("\n"), [...words, words[0]])
      }),
    { arbitrary: { runs: 20 } }
  )
})

describe("a window name", () => {
  it("is what the sanitizer of the source system makes of a text", () => {
    const vectors: ReadonlyArray<readonly [string, string]> = [
      ["my work!", "my-work"],
      ["work fs", "work-fs"],
      ["--a--", "a"],
      ["你好", "window"],
      ["", "window"],
      ["---", "window"],
      ["é", "window"],
      ["a.b:c", "a-b-c"],
      ["a\nb", "a-b"],
      ["_", "_"],
      ["w1:p1", "w1-p1"],
      ["MixedCase", "MixedCase"],
      ["a---b", "a-b"],
      ["-a!-!b-", "a-b"],
      ["x".repeat(300), "x".repeat(300)]
    ]

    assert.deepStrictEqual(vectors.map(([input]) => Target.windowName(input)), vectors.map(([, name]) => name))
    assert.strictEqual(Target.windowName("!", "my fb"), "my-fb")
    assert.strictEqual(Target.windowName("!", "?"), "window")
    assert.strictEqual(Target.windowName("a", "b"), "a")
  })

  it("case 56: is the same for every text that a session or a window is called by", () => {
    const texts = ["my.repo", "my:repo", "my repo", "my\trepo", "=my%repo", "my🚀repo"]

    assert.deepStrictEqual([...new Set(texts.map((text) => Target.windowName(text)))], ["my-repo"])
  })

  it("case 170: carries no target and no command", () => {
    assert.strictEqual(Target.windowName("x:0.1; kill-server"), "x-0-1-kill-server")
    assert.strictEqual(Target.windowName("-t @1"), "t-1")
  })

  it.effect.prop(
    "is valid whatever it is made of, and stays as it is",
    [text, text],
    ([input, fallback]) =>
      Effect.sync(() => {
        const name = Target.windowName(input, fallback)

        assert.isTrue(Schema.is(Target.WindowName)(name))
        assert.strictEqual(Target.windowName(name), name)
      }),
    { arbitrary: { runs: 500 } }
  )
})
