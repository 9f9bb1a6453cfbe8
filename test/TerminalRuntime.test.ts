import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as Memory from "./fixtures/Memory.ts"

it.effect("a span names the operation, its runtime and its pane", () =>
  Effect.gen(function*() {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const { pane, runtime } = yield* Memory.open

    yield* runtime.sendCommand(pane, "x").pipe(Effect.provideService(Tracer.Tracer, tracer))

    assert.deepStrictEqual(spans.map(({ name }) => name), ["TerminalRuntime.send"])
    assert.deepStrictEqual(Object.fromEntries(spans[0]?.attributes ?? []), {
      "paneway.runtime": "memory",
      "paneway.pane": `${pane}`,
      "paneway.outcome": "ok"
    })
  }).pipe(Effect.provide(Memory.layer())))
