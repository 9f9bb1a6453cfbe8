import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Watched from "../fixtures/Watched.ts"

const rows = (count: number) => Array.from({ length: count }, (_, n) => `row ${n}`)

describe("a capture", () => {
  it.effect("gives the last 40 rows unless it is asked for others, counted from the last one that is not blank", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print(...rows(60), "", "  ")

      const asked = yield* runtime.capture(watched.pane)
      const three = yield* runtime.capture(watched.pane, { range: { tail: 3 } })
      const visible = yield* runtime.capture(watched.pane, { range: "visible" })
      const full = yield* runtime.capture(watched.pane, { range: "full" })
      const none = yield* runtime.capture(watched.pane, { range: { tail: Number.NaN } })

      assert.isAtMost(asked.rows.length, 40)
      assert.strictEqual(asked.rows.at(-1), "row 59")
      assert.deepStrictEqual(three.rows.filter((row) => row !== ""), three.rows)
      assert.strictEqual(three.rows.at(-1), "row 59")
      assert.strictEqual(visible.rows.length, 10)
      assert.strictEqual(full.rows.length, 62)
      assert.deepStrictEqual(none.rows, [])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 110: says when rows stood above that are not here", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print(...rows(20))
      const whole = yield* runtime.capture(watched.pane, { range: "full" })
      const part = yield* runtime.capture(watched.pane, { range: { tail: 5 } })
      watched.trim(5)
      const forgotten = yield* runtime.capture(watched.pane, { range: "full" })

      assert.deepStrictEqual([whole, part, forgotten].map(({ truncated }) => truncated), [false, true, true])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 109: says that the alternate screen is shown", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print(...rows(20))
      watched.alternate(["menu"])

      assert.deepInclude(yield* runtime.capture(watched.pane, { range: "visible" }), {
        alternate: true,
        rows: ["menu"]
      })
    }).pipe(Effect.provide(watched.layer))
  })
})
