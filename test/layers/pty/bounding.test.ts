import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScreenModel from "../../../layers/pty/screenModel.ts"
import { processorOf } from "../../fixtures/processor.ts"

const size = { columns: 10, rows: 4 }
const make = (scrollback = 10) => ScreenModel.make({ ...size, scrollback, reply: undefined })
const full = "1\r\n2\r\n3\r\n4"

/** Milliseconds of the processor in which it was parsed. */
const parsed = (screen: ScreenModel.ScreenModel, text: string) =>
  processorOf(Effect.andThen(Effect.sync(() => screen.feed(Buffer.from(text))), screen.flush))

describe("a program that asks for something two thousand million times", () => {
  const most = "2147483647"
  for (
    const [what, text, rows] of [
      ["rows to scroll up", `${full}\u001b[${most}Snext`, ["", "", "", " next"]],
      ["rows to scroll down", `${full}\u001b[${most}Tnext`, ["", "", "", " next"]],
      ["lines to insert", `${full}\u001b[2H\u001b[${most}Lnext`, ["1", "next", "", ""]],
      ["lines to delete", `${full}\u001b[2H\u001b[${most}Mnext`, ["1", "next", "", ""]],
      ["stops to go on", `${full}\r\u001b[${most}Ix`, ["1", "2", "3", "4        x"]],
      ["stops to go back", `${full}56\u001b[${most}Zx`, ["1", "2", "3", "x56"]]
    ] as const
  ) {
    it.live(`holds nobody up: ${what}`, () =>
      Effect.gen(function*() {
        const screen = make()
        const took = yield* parsed(screen, text)

        assert.deepStrictEqual(screen.read("visible").rows, [...rows])
        assert.isBelow(took, 2000)
        screen.dispose()
      }))
  }

  it.live("holds nobody up: a character to print again", () =>
    Effect.gen(function*() {
      const screen = make()
      const took = yield* parsed(screen, `x\u001b[${most}b\r\nnext`)

      assert.deepStrictEqual(screen.read("visible").rows.slice(1), ["xxxxxxxxxx", "x", "next"])
      assert.isBelow(took, 2000)
      screen.dispose()
    }))

  it.live("gets what it asked for where that is no more than the screen has", () =>
    Effect.gen(function*() {
      const screen = make()
      yield* parsed(screen, `${full}\u001b[2Sx\u001b[6by\u001b[1;1H\u001b[1Ix\u001b[1L`)

      assert.deepStrictEqual(screen.read("visible").rows, ["", "3       x", "4", ""])
      screen.dispose()
    }))
})

describe("a program that says the same again and again", () => {
  it.live("links take no memory", () =>
    Effect.gen(function*() {
      const screen = make()
      const link = "\r\u001b]8;;http://example.com\u001b\\link\u001b]8;;\u001b\\".repeat(1000)
      const before = yield* parsed(screen, "\r\n".repeat(1000))
      for (let n = 0; n < 60; n++) yield* parsed(screen, link)
      const lines = yield* parsed(screen, "\r\n".repeat(1000))

      assert.deepStrictEqual((yield* parsed(screen, "end"), screen.read({ tail: 1 }).rows), ["end"])
      assert.isBelow(lines, 20 * before + 200)
      screen.dispose()
    }))

  it.live("a long list of colours takes no time", () =>
    Effect.gen(function*() {
      const screen = make()
      const colours = (count: number) => parsed(screen, `\u001b]4;${"1;?;".repeat(count)}\u0007end`)
      yield* colours(20_000)
      const [few, many] = [yield* colours(20_000), yield* colours(200_000)]

      assert.strictEqual(screen.read({ tail: 1 }).rows[0]?.endsWith("end"), true)
      assert.isBelow(many, 40 * few + 200)
      screen.dispose()
    }))

  it.live("a long list of names is not answered", () =>
    Effect.gen(function*() {
      const replies: Array<string> = []
      const screen = ScreenModel.make({ ...size, scrollback: 10, reply: (text) => replies.push(text) })
      yield* parsed(screen, `\u001bP+q${"544E;".repeat(10_000)}\u001b\\end`)
      const before = replies.length
      yield* parsed(screen, "\u001bP+q544E;436F\u001b\\")

      assert.deepStrictEqual([before, replies.length], [0, 2])
      assert.deepStrictEqual(screen.read({ tail: 1 }).rows, ["end"])
      screen.dispose()
    }))

  it.live("marks on one letter go on in the next cell once there are many", () =>
    Effect.gen(function*() {
      const screen = make()
      yield* parsed(screen, `e\u0301\r\na${"\u0301".repeat(100_000)}`)
      yield* parsed(screen, "\u001b[H\u001b[2Je\u0301\r\n👨‍👩‍👧‍👦|")
      const rows = screen.read("visible").rows
      yield* parsed(screen, `\u001b[H\u001b[2Ja${"\u0301".repeat(100)}b`)

      assert.deepStrictEqual(rows, ["é", "👨‍👩‍👧‍👦|", "", ""].map((row) => row.normalize("NFD")))
      assert.strictEqual(screen.read("visible").rows[0], `a${"\u0301".repeat(100)}b`)
      assert.strictEqual(screen.read("visible").cursor?.column, 3)
      screen.dispose()
    }))
})

describe("where the emulator fails", () => {
  it.live("the screen begins anew, and the program goes on", () =>
    Effect.gen(function*() {
      let fails = true
      const screen = ScreenModel.make({
        ...size,
        scrollback: 10,
        reply: undefined,
        onPasteMode: () => {
          if (fails) throw new Error("as the emulator would")
        }
      })
      yield* parsed(screen, "before\u001b[?2004hlost")
      fails = false
      yield* parsed(screen, "next\u001b[?2004h|")

      assert.deepStrictEqual(screen.read("visible").rows, ["next|", "", "", ""])
      screen.dispose()
    }))
})

describe("where nothing is kept above the screen", () => {
  it.live("a line that comes in above the cursor loses the marks of before, and the program goes on", () =>
    Effect.gen(function*() {
      const screen = make(0)
      yield* parsed(screen, "1")
      const before = screen.read("visible").cursor
      yield* parsed(screen, "\u001b[L\n\u001b[Anext")
      const after = screen.read("visible")

      assert.deepStrictEqual(after.rows, ["next", "1", "", ""])
      assert.notStrictEqual(after.cursor?.epoch, before?.epoch)
      assert.strictEqual(after.cursor?.row, 0)
      screen.dispose()
    }))
})
