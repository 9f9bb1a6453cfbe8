import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScreenModel from "../../../layers/pty/screenModel.ts"

it.live("one that waits again when it is woken is woken once for each change", () =>
  Effect.gen(function*() {
    const screen = ScreenModel.make({ columns: 80, rows: 24, scrollback: 10, reply: undefined })
    const woken: Array<number> = []
    const again = (n: number) => {
      const wake = () => {
        screen.wakes.delete(wake)
        woken.push(n)
        if (n < 100) again(n + 1)
      }
      screen.wakes.add(wake)
    }
    again(1)
    screen.feed(Buffer.from("a"))
    yield* screen.flush
    const first = [...woken]
    screen.feed(Buffer.from("b"))
    yield* screen.flush

    assert.deepStrictEqual([first, woken], [[1], [1, 2]])
    screen.dispose()
  }))

it.live("all who wait are woken, each once for each change", () =>
  Effect.gen(function*() {
    const screen = ScreenModel.make({ columns: 80, rows: 24, scrollback: 10, reply: undefined })
    const woken: Array<string> = []
    for (const name of ["a", "b", "c"]) screen.wakes.add(() => woken.push(name))
    screen.feed(Buffer.from("x"))
    yield* screen.flush

    assert.deepStrictEqual(woken, ["a", "b", "c"])
    screen.dispose()
  }))

it.live("rows are counted on over a screen that is erased, cleared and reset, and marks of before are lost", () =>
  Effect.gen(function*() {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `${n}\r\n`).join("")
    const erasures = ["\u001b[H\u001b[J", "\u001b[2J\u001b[H", "\u001b[H\u001b[2J\u001b[3J", "\u001b[3J", "\u001bc"]
    for (const how of erasures) {
      const screen = ScreenModel.make({ columns: 80, rows: 10, scrollback: 20, reply: undefined })
      const fed = (text: string) => {
        screen.feed(Buffer.from(text))
        return Effect.map(screen.flush, () => screen.read("full"))
      }
      const before = yield* fed(lines(12))
      const after = yield* fed(`${how}KEY\r\n`)
      // more than is kept, in parts that are less
      for (let n = 0; n < 10; n++) yield* fed(lines(15))
      const end = screen.read("visible")
      const top = (before.origin ?? 0) + (how === "\u001b[3J" ? 12 : 3)

      assert.strictEqual((after.origin ?? 0) + after.rows.indexOf("KEY"), top, JSON.stringify(how))
      assert.strictEqual(end.cursor?.row, top + 1 + 150, JSON.stringify(how))
      assert.deepStrictEqual([after.cursor?.epoch, end.cursor?.epoch], [before.cursor?.epoch, before.cursor?.epoch])
      const marked = before.cursor?.step ?? 0
      const reached = end.ascents?.find(({ step }) => step >= marked)
      assert.strictEqual(reached?.row, how === "\u001b[3J" ? undefined : top, JSON.stringify(how))
      screen.dispose()
    }
  }))

it.live("of the places where the program went back up those are kept that matter, and no more than a hundred", () =>
  Effect.gen(function*() {
    const screen = ScreenModel.make({ columns: 80, rows: 10, scrollback: 1000, reply: undefined })
    const fed = (text: string) => {
      screen.feed(Buffer.from(text))
      return Effect.map(screen.flush, () => screen.read("visible"))
    }
    yield* fed("0\r\n1\r\n2\r\n3\r\n4\r\n5")
    const low = yield* fed("\u001b[1A")
    const again = yield* fed("\r\n6")
    const high = yield* fed("\u001b[5A\u001b[5B")
    const down = yield* fed("\u001b[8;1H")
    for (let n = 0; n < 150; n++) yield* fed("\r\nx\r\ny\u001b[A\r\n")
    const { ascents = [] } = screen.read("visible")

    assert.deepStrictEqual([low.cursor?.step, again.cursor?.step, high.cursor?.step, down.cursor?.step], [1, 1, 2, 2])
    assert.deepStrictEqual(low.ascents, [{ step: 0, row: 4 }])
    assert.deepStrictEqual(high.ascents, [{ step: 1, row: 0 }])
    assert.strictEqual(ascents.length, 100)
    assert.deepInclude(ascents[0], { row: 0 })
    assert.isTrue(ascents.every(({ row, step }, n) => {
      const next = ascents[n + 1]
      return next === undefined || (next.row > row && next.step > step)
    }))
    screen.dispose()
  }))

it.live("a screen that is erased up to its last cell is empty, and its program goes on", () =>
  Effect.gen(function*() {
    for (const erase of ["\u001b[1J", "\u001b[?1J"]) {
      const screen = ScreenModel.make({ columns: 10, rows: 3, scrollback: 10, reply: undefined })
      screen.feed(Buffer.from(`abc\u001b[9;99H${erase}\rnext`))
      yield* Effect.timeout(screen.flush, "30 seconds")

      assert.deepStrictEqual(screen.read("visible").rows, ["", "", "next"])
      screen.dispose()
    }
  }))

it.live("the last row does not go on in the oldest one that is kept", () =>
  Effect.gen(function*() {
    const screen = ScreenModel.make({ columns: 10, rows: 3, scrollback: 5, reply: undefined })
    screen.feed(Buffer.from(`${"x".repeat(200)}\u001b[H\u001b[2Jfirst\u001b[3Hlast`))
    yield* screen.flush

    assert.deepStrictEqual(screen.read("visible").rows, ["first", "", "last"])
    assert.deepStrictEqual(screen.read("full").rows.slice(-3), ["first", "", "last"])
    screen.dispose()
  }))
