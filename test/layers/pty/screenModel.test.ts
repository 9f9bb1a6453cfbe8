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
      assert.deepStrictEqual([after.counted, end.counted], [before.counted, before.counted])
      const lost = /2J|c$/.test(how)
      assert.strictEqual(after.cursor?.epoch !== before.cursor?.epoch, lost, JSON.stringify(how))
      screen.dispose()
    }
  }))
