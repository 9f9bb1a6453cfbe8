import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Pty from "../../layers/Pty.ts"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { PaneView, type Update } from "../../src/PaneView.ts"
import { Server } from "../../src/remote/index.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { socketPath } from "../fixtures/served.ts"
import { tap } from "../fixtures/tapped.ts"

const size = { columns: 80, rows: 24 }

/** A runtime of this process, and its panes in a client's terminals. */
const served = Effect.fnUntraced(function*<E>(panes: Layer.Layer<TerminalRuntime, E>, options: Server.Options) {
  const path = yield* socketPath
  yield* Layer.build(
    Server.layer(options).pipe(Layer.provide(NodeSocketServer.layer({ path })), Layer.provide(panes))
  )
  const way = yield* tap(path)
  const client = yield* Layer.build(Remote.layer({ path: way.path }))
  const runtime = Context.get(client, TerminalRuntime)
  const views = Option.getOrThrow(Context.get(client, PaneView))
  return { runtime, views, way }
})

describe("a view of a remote pane", () => {
  it.live("is that of the runtime itself, where the server offers it", () =>
    Effect.gen(function*() {
      const { runtime, views } = yield* served(Pty.layer({ shell: "/bin/sh" }), { views: true })
      const { handle } = yield* runtime.spawn({
        program: { argv: ["sh", "-c", "stty raw -echo; printf 'ready\\377\\303'; head -c 4 | od -An -tx1; exit 5"] },
        cwd: "/"
      })
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })
      const told: Array<Update> = []
      yield* Stream.runForEach(views.show(handle, { size, readOnly: false }), (update) =>
        Effect.gen(function*() {
          told.push(update)
          if (update._tag !== "Opened") return
          yield* views.resize(update.view, { columns: 60, rows: 20 })
          assert.strictEqual(yield* views.write(update.view, Uint8Array.from([0, 255, 0xc3, 0x1c])), 4)
        }))
      const text = Buffer.concat(told.map((update) => "bytes" in update ? update.bytes : Buffer.alloc(0)))

      assert.deepStrictEqual(told.at(-1), { _tag: "Ended", exit: { code: 5 } })
      assert.include(text.toString("latin1"), "00 ff c3 1c")
      const { columns, rows } = yield* runtime.describe(handle)
      assert.deepStrictEqual({ columns, rows }, { columns: 60, rows: 20 })
    }).pipe(Effect.scoped))

  it.live("is refused by a server that is not told to show any, and of a runtime that cannot", () =>
    Effect.gen(function*() {
      for (
        const [panes, options] of [
          [Pty.layer({ shell: "/bin/sh" }), {}],
          [Scripted.layer(), { views: true }]
        ] as const
      ) {
        const { runtime, views } = yield* served(panes, options)
        const { handle } = yield* runtime.spawn({})
        for (
          const refused of [
            Stream.runDrain(views.show(handle, { size, readOnly: true })),
            views.write("view", Uint8Array.of(1)),
            views.resize("view", size)
          ]
        ) assert.deepInclude(yield* Effect.flip(refused), { _tag: "Unsupported", capability: "attach" })
      }
    }).pipe(Effect.scoped))

  it.live("fails when the connection is lost, and what was typed is not sent again", () =>
    Effect.gen(function*() {
      const { runtime, views, way } = yield* served(Pty.layer({ shell: "/bin/sh" }), { views: true })
      const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" })
      const told: Array<Update> = []
      const shown = yield* Effect.forkScoped(
        Effect.flip(Stream.runForEach(
          views.show(handle, { size, readOnly: false }),
          (update) => Effect.sync(() => void told.push(update))
        ))
      )
      yield* until(() => told.length >= 2)
      way.cutAfter("viewWrite")
      const view = told[0]?._tag === "Opened" ? told[0].view : ""
      const error = yield* Effect.flip(views.write(view, Uint8Array.of(0x61)))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost" })
      assert.strictEqual(way.asked.filter((procedure) => procedure === "viewWrite").length, 1)
      assert.deepInclude(yield* Fiber.join(shown), { _tag: "RuntimeUnavailable", reason: "lost" })
    }).pipe(Effect.scoped))
})
