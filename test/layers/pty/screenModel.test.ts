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
