/** A program over the service alone: whichever layer is under it, it does the same. */
import * as Effect from "effect/Effect"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

export const program = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const window = yield* runtime.ensureWindow({ name: "sums & more", root: "/" })
  const again = yield* runtime.ensureWindow({ name: "sums & more", root: "/" })
  const conflict = yield* Effect.flip(runtime.ensureWindow({ name: "sums & more", root: "/tmp" }))
  const [pane] = yield* runtime.listPanes({ window: window.handle })
  if (pane === undefined) return yield* Effect.die("a window without a pane")

  const sent = yield* runtime.sendCommand(pane.handle, "expr 6 '*' 7")
  const seen = yield* runtime.waitOutput(pane.handle, { pattern: /^\d+$/, after: sent.mark, timeout: "10 seconds" })
  const refused = yield* Effect.flip(runtime.sendText(pane.handle, "a\u001bb"))
  const late = yield* Effect.flip(
    runtime.waitOutput(pane.handle, { pattern: "never", after: sent.mark, timeout: "50 millis" })
  )
  const found = yield* runtime.resolve(`${pane.handle}`)
  const closed = [yield* runtime.closePane(pane.handle), yield* runtime.closePane(pane.handle)]
  const gone = yield* Effect.flip(runtime.sendText(pane.handle, "x"))

  return {
    name: window.name,
    same: `${window.handle}` === `${again.handle}`,
    conflict: conflict._tag,
    outcome: [sent.outcome, sent.evidence],
    line: seen.line,
    refused: refused._tag,
    late: late._tag,
    found: `${found.handle}` === `${pane.handle}`,
    closed,
    gone: gone._tag
  }
})
