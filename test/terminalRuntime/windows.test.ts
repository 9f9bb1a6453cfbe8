import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as RealPath from "../../src/internal/roots.ts"
import { PresetSource } from "../../src/Preset.ts"
import { RuntimeUnavailable, TargetNotFound, Unsupported } from "../../src/RuntimeError.ts"
import * as Target from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"

const at = { name: "a", root: "/w/a" }
const window = (id: string, name: string, facts: Partial<Target.Window> = {}) =>
  new Target.Window({
    handle: new Target.WindowHandle({ ...Records.identity, id }),
    name: Target.windowName(name),
    session: "main",
    active: false,
    ...facts
  })

/** Any name is a preset. */
const anyPreset = Effect.provideService(PresetSource, () => Effect.succeed({ panes: [] }))

describe("ensuring a window", () => {
  it.effect("makes it once and finds it then, by its sanitized name", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const made = yield* runtime.ensureWindow({ name: "my work!", root: "/w/a" })
      const found = yield* runtime.ensureWindow({ name: "--my--work", root: "/w/a" })

      assert.deepStrictEqual(found, made)
      assert.deepInclude(made, { name: Target.windowName("my-work"), root: "/w/a", session: "main" })
      assert.deepStrictEqual(world.log, ["open main:my-work"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("20 times at once makes it once", () => {
    const world = Records.world()
    const slowly = ({ open }: ReturnType<typeof Records.primitives>) => ({
      open: (request: Parameters<typeof open>[0]) => Effect.andThen(Effect.yieldNow, open(request))
    })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const all = yield* Effect.all(Array.from({ length: 20 }, () => runtime.ensureWindow(at)), {
        concurrency: "unbounded"
      })

      assert.deepStrictEqual(world.log, ["open main:a"])
      assert.strictEqual(new Set(all.map(({ handle }) => `${handle}`)).size, 1)
    }).pipe(Effect.provide(Records.layer(world, slowly)))
  })

  it.effect("with another root or preset conflicts, names both and changes nothing", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.ensureWindow({ ...at, preset: "dev" })
      const before = JSON.stringify([world.windows, world.panes])

      const root = yield* Effect.flip(runtime.ensureWindow({ ...at, root: "/w/b", preset: "dev" }))
      const preset = yield* Effect.flip(runtime.ensureWindow({ ...at, preset: "ops" }))
      const none = yield* Effect.flip(runtime.ensureWindow(at))

      assert.deepInclude(root, { _tag: "WindowConflict", field: "root", requested: "/w/b", existing: "/w/a" })
      assert.deepInclude(preset, { _tag: "WindowConflict", field: "preset", requested: "ops", existing: "dev" })
      assert.deepInclude(none, { _tag: "WindowConflict", field: "preset", requested: "", existing: "dev" })
      assert.include(root.message, `${handle}`)
      assert.strictEqual(JSON.stringify([world.windows, world.panes]), before)
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(anyPreset, Effect.provide(Records.layer(world)))
  })

  it.effect("compares roots however they are spelled, and asks the file system only when that does not decide", () => {
    const asked: Array<string> = []
    const real = (root: string) =>
      Effect.sync(() => {
        asked.push(root)
        return root === "/link" ? "/w/a" : root
      })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const made = yield* runtime.ensureWindow(at)
      for (const root of ["/w/a/", "//w//./a", "/w/b/../a", "/../w/a"]) {
        assert.deepStrictEqual(yield* runtime.ensureWindow({ name: "a", root }), made)
      }
      assert.deepStrictEqual(asked, [])

      assert.deepStrictEqual(yield* runtime.ensureWindow({ name: "a", root: "/link" }), made)
      const error = yield* Effect.flip(runtime.ensureWindow({ name: "a", root: "/W/a" }))

      assert.deepStrictEqual(asked, ["/w/a", "/link", "/w/a", "/W/a"])
      assert.strictEqual(error._tag, "WindowConflict")
    }).pipe(
      Effect.provide(Records.layer(Records.world())),
      Effect.provideService(RealPath.RealPath, real)
    )
  })

  it.effect("refuses a relative root without asking anything", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const root of ["", "a", "./a", "~/a"]) {
        const error = yield* Effect.flip(runtime.ensureWindow({ name: "a", root }))
        assert.deepInclude(error, { _tag: "InvalidRequest", field: "root" })
      }
      assert.strictEqual(world.asks, 0)
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("judges the conflict before the preset is looked up and the root is opened", () => {
    const world = Records.world()
    const opens = { allowed: true }
    const picky = ({ open }: ReturnType<typeof Records.primitives>) => ({
      open: (request: Parameters<typeof open>[0]) => opens.allowed ? open(request) : Effect.die("opened")
    })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.ensureWindow(at)
      opens.allowed = false

      const error = yield* Effect.flip(runtime.ensureWindow({ name: "a", root: "/missing", preset: "unknown" }))

      assert.deepInclude(error, { _tag: "WindowConflict", field: "root" })
    }).pipe(Effect.provide(Records.layer(world, picky)))
  })

  it.effect("with a preset that nobody knows makes nothing", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const error = yield* Effect.flip(runtime.ensureWindow({ ...at, preset: "dev" }))

      assert.strictEqual(error._tag, "Unsupported")
      assert.deepStrictEqual(world.log, [])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("asks for the preset once, when the window is made", () => {
    const asked: Array<string> = []
    const source = (name: string, root: string) =>
      Effect.suspend(() => {
        asked.push(`${name} ${root}`)
        return name === "dev"
          ? Effect.succeed({ panes: [] })
          : Effect.fail(new Unsupported({ runtime: "any", capability: "windowMetadata", reason: "no" }))
      })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.ensureWindow({ ...at, preset: "dev" })
      const again = yield* runtime.ensureWindow({ ...at, preset: "dev" })

      assert.strictEqual(again.preset, "dev")
      assert.deepStrictEqual(asked, ["dev /w/a"])
    }).pipe(Effect.provide(Records.layer(Records.world())), Effect.provideService(PresetSource, source))
  })

  it.effect("takes over a window of unknown root only when a pane of it is there already", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.spawn({ placement: { window: "a" } })
      const unknown = yield* Effect.flip(runtime.ensureWindow(at))
      world.panes = world.panes.map((pane) => new Target.Pane({ ...pane, cwd: "/elsewhere" }))
      const elsewhere = yield* Effect.flip(runtime.ensureWindow(at))
      world.panes = world.panes.map((pane) => new Target.Pane({ ...pane, cwd: "/w/a/" }))
      const adopted = yield* runtime.ensureWindow(at)

      assert.deepInclude(unknown, { _tag: "WindowConflict", field: "root", existing: "" })
      assert.include(unknown.message, "no known root")
      assert.deepInclude(elsewhere, { _tag: "WindowConflict", existing: "/elsewhere" })
      assert.strictEqual(adopted.root, "/w/a")
      assert.strictEqual(world.windows[0]?.root, "/w/a")
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("is remembered here where the adapter has no place for it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const made = yield* runtime.ensureWindow(at)

      assert.strictEqual(made.root, "/w/a")
      assert.deepStrictEqual(yield* runtime.ensureWindow(at), made)
      assert.strictEqual((yield* Effect.flip(runtime.ensureWindow({ ...at, root: "/w/b" })))._tag, "WindowConflict")
      assert.strictEqual((yield* runtime.listWindows())[0]?.root, "/w/a")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("fails with what may exist when the answer is lost after the window was made", () => {
    const lost = new RuntimeUnavailable({ runtime: "records", reason: "lost", detail: "gone" })
    const failing = (error: RuntimeUnavailable | TargetNotFound) =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        return yield* Effect.flip(runtime.ensureWindow(at))
      }).pipe(Effect.provide(Records.layer(Records.world(), () => ({ remember: () => Effect.fail(error) }))))
    return Effect.gen(function*() {
      const target = new Target.PaneHandle({ ...Records.identity, id: "%1" })

      assert.deepInclude(yield* failing(lost), { _tag: "SpawnFailed", reason: "lost", created: "indeterminate" })
      assert.deepInclude(yield* failing(new TargetNotFound({ target, reason: "absent" })), {
        _tag: "SpawnFailed",
        reason: "died-at-once",
        created: "nothing"
      })
    })
  })

  it.effect("that is interrupted leaves nothing, or a window that the next call finds", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const inside = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const slowly = ({ remember }: ReturnType<typeof Records.primitives>) => ({
        remember: (...args: Parameters<NonNullable<typeof remember>>) =>
          Effect.andThen(
            Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(gate)),
            remember?.(...args) ?? Effect.void
          )
      })
      yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const first = yield* Effect.forkChild(runtime.ensureWindow(at))
        yield* Deferred.await(inside)
        const interruption = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(interruption)

        assert.strictEqual(world.windows[0]?.root, "/w/a")
        assert.strictEqual((yield* runtime.ensureWindow(at)).root, "/w/a")
        assert.deepStrictEqual(world.log, ["open main:a"])
      }).pipe(Effect.provide(Records.layer(world, slowly)))
    })
  })
})

describe("a window", () => {
  it.effect("is another one in another session, and sessions match exactly", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const here = yield* runtime.ensureWindow(at)
      const there = yield* runtime.ensureWindow({ ...at, session: "main2" })
      const { name } = here

      assert.notStrictEqual(`${here.handle}`, `${there.handle}`)
      assert.deepStrictEqual(world.log, ["open main:a", "open main2:a"])
      assert.deepStrictEqual(yield* runtime.ensureWindow({ ...at, session: "main2" }), there)
      assert.deepStrictEqual((yield* runtime.listWindows({ session: "main2" })).map(({ handle }) => handle), [
        there.handle
      ])
      assert.deepStrictEqual(yield* runtime.listWindows({ session: "mai" }), [])
      assert.deepStrictEqual(yield* runtime.listPanes({ session: "mai" }), [])
      assert.strictEqual((yield* runtime.listWindows()).length, 2)
      assert.deepStrictEqual((yield* runtime.listPanes({ window: name })).map((pane) => pane.window), [here.handle])
      assert.deepStrictEqual(
        (yield* runtime.listPanes({ window: name, session: "main2" })).map((pane) => pane.window),
        [there.handle]
      )

      assert.strictEqual(yield* runtime.closeWindow(name, { session: "main2" }), "closed")
      const gone = yield* Effect.flip(runtime.closeWindow(name, { session: "main2" }))
      assert.deepInclude(gone, { _tag: "TargetNotFound", reason: "absent" })
      assert.deepStrictEqual((yield* runtime.listWindows()).map(({ handle }) => handle), [here.handle])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("that is missing is not found by name by any operation", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const missing = Target.windowName("missing")
      const errors = yield* Effect.all([
        Effect.flip(runtime.focus(missing)),
        Effect.flip(runtime.closeWindow(missing)),
        Effect.flip(runtime.listPanes({ window: missing })),
        Effect.flip(runtime.preparePane({ window: missing })),
        Effect.flip(runtime.spawn({ placement: { split: missing } }))
      ])

      for (const error of errors) assert.deepInclude(error, { _tag: "TargetNotFound", reason: "absent" })
      assert.deepStrictEqual(world.log, [])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 59: is never found by a prefix of its name or of its session", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.ensureWindow({ name: "job-10", root: "/w", session: "job-10" })
      const name = Target.windowName("job-1")

      const byName = yield* Effect.flip(runtime.closeWindow(name, { session: "job-10" }))
      const bySession = yield* Effect.flip(runtime.closeWindow(Target.windowName("job-10"), { session: "job-1" }))
      const session = yield* Effect.flip(runtime.closeSession("job-1"))

      for (const error of [byName, bySession, session]) {
        assert.deepInclude(error, { _tag: "TargetNotFound", reason: "absent" })
      }
      assert.strictEqual(world.windows.length, 1)
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 61: is never found by a pattern", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      world.windows = [window("@98", "zz"), window("@99", "z1")]
      for (const pattern of ["z*", "z?", "[z]z"]) {
        const { handle } = yield* runtime.ensureWindow({ name: pattern, root: "/w" })
        assert.isFalse(["@98", "@99"].includes(handle.id))
      }
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 62: whose name another one has too is ambiguous, unless one of them was made here", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      world.windows = [window("@8", "dup"), window("@9", "dup")]
      const name = Target.windowName("dup")
      const close = yield* Effect.flip(runtime.closeWindow(name))
      const ensure = yield* Effect.flip(runtime.ensureWindow({ name: "dup", root: "/w" }))

      for (const error of [close, ensure]) {
        assert.deepInclude(error, { _tag: "TargetNotFound", reason: "ambiguous" })
        assert.deepStrictEqual(
          error._tag === "TargetNotFound" ? error.candidates : [],
          world.windows.map(({ handle }) => `${handle}`)
        )
      }
      assert.deepStrictEqual(world.log, [])

      world.windows = [window("@8", "dup"), window("@9", "dup", { root: "/w" })]
      assert.strictEqual((yield* runtime.ensureWindow({ name: "dup", root: "/w" })).handle.id, "@9")
      assert.strictEqual(yield* runtime.closeWindow(name), "closed")
      assert.deepStrictEqual(world.windows.map(({ handle }) => handle.id), ["@8"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 56: has one sanitized name everywhere, however it is spelled", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const spellings = ["api.2", "a b", "=x", "%1", "@1", "$1", "-x", "🐈", "x".repeat(300), "", "x:0.1; kill-server"]
      for (const name of spellings) {
        const made = yield* runtime.ensureWindow({ name, root: "/w" })

        assert.match(made.name, /^[\w-]+$/)
        assert.deepStrictEqual(yield* runtime.ensureWindow({ name, root: "/w" }), made)
        assert.strictEqual(yield* runtime.closeWindow(made.name), "closed")
      }
      assert.strictEqual(world.log.length, 2 * spellings.length)
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 170: gets a name without anything that a terminal program would read", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.spawn({ placement: { window: "x:0.1; kill-server" } })
      yield* runtime.ensureWindow({ name: "a\nb; kill-server", root: "/w" })

      assert.deepStrictEqual(world.log, ["open main:x-0-1-kill-server", "open main:a-b-kill-server"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 148: that is gone is already closed, and a server that is gone is unavailable", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.ensureWindow(at)

      assert.strictEqual(yield* runtime.closeWindow(handle), "closed")
      assert.strictEqual(yield* runtime.closeWindow(handle), "already-closed")
      world.down = true
      assert.strictEqual((yield* Effect.flip(runtime.closeWindow(handle)))._tag, "RuntimeUnavailable")
      assert.strictEqual((yield* Effect.flip(runtime.closeWindow(Target.windowName("a"))))._tag, "RuntimeUnavailable")
      assert.strictEqual((yield* Effect.flip(runtime.closeSession("main")))._tag, "RuntimeUnavailable")
      assert.strictEqual((yield* Effect.flip(runtime.listWindows()))._tag, "RuntimeUnavailable")
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("of another server or an earlier one is refused, and closes nothing", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.ensureWindow(at)
      const foreign = new Target.WindowHandle({ ...handle, scope: "/tmp/other" })
      const earlier = new Target.WindowHandle({ ...handle, incarnation: "0" })
      const { asks } = world

      assert.deepInclude(yield* Effect.flip(runtime.closeWindow(foreign)), { reason: "foreign" })
      assert.deepInclude(yield* Effect.flip(runtime.focus(foreign)), { reason: "foreign" })
      assert.deepInclude(yield* Effect.flip(runtime.preparePane({ window: foreign })), { reason: "foreign" })
      assert.deepInclude(yield* Effect.flip(runtime.listPanes({ window: foreign })), { reason: "foreign" })
      assert.strictEqual(world.asks, asks)
      assert.deepInclude(yield* Effect.flip(runtime.closeWindow(earlier)), { reason: "reissued" })
      assert.deepInclude(yield* Effect.flip(runtime.preparePane({ window: earlier })), { reason: "reissued" })
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(Effect.provide(Records.layer(world)))
  })
})

describe("a session", () => {
  it.effect("is listed and closed by its exact name", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.ensureWindow(at)
      yield* runtime.ensureWindow({ ...at, session: "other" })

      assert.deepStrictEqual(yield* runtime.listSessions, ["main", "other"])
      assert.strictEqual(yield* runtime.closeSession("other"), "closed")
      assert.deepInclude(yield* Effect.flip(runtime.closeSession("other")), { reason: "absent" })
      assert.deepStrictEqual(yield* runtime.listSessions, ["main"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("of a runtime without sessions is refused", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime

      assert.deepInclude(yield* Effect.flip(runtime.closeSession("memory")), {
        _tag: "Unsupported",
        capability: "sessions"
      })
      assert.deepInclude(yield* Effect.flip(runtime.listSessions), { _tag: "Unsupported", capability: "sessions" })
    }).pipe(Effect.provide(Memory.layer())))
})
