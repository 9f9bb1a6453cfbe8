import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Capabilities, Capability } from "../src/Capabilities.ts"
import { RuntimeUnavailable } from "../src/RuntimeError.ts"
import * as RuntimeRegistry from "../src/RuntimeRegistry.ts"
import { PaneHandle } from "../src/Target.ts"
import { TerminalRuntime } from "../src/TerminalRuntime.ts"
import * as Memory from "./fixtures/Memory.ts"

const capabilities = Schema.decodeUnknownSync(Capabilities)(
  Object.fromEntries(Capability.literals.map((capability) => [capability, "none"]))
)

/** An adapter that tells what is done with it. It opens unless `fault` says otherwise; the layer is one constant. */
const adapter = (name: string, log: Array<string> = []) => {
  const state: { fault: RuntimeUnavailable | "defect" | undefined; gate: Effect.Effect<void> } = {
    fault: undefined,
    gate: Effect.void
  }
  const layer = Layer.effect(
    TerminalRuntime,
    Effect.gen(function*() {
      log.push(`open ${name}`)
      yield* Effect.addFinalizer(() => Effect.sync(() => log.push(`close ${name}`)))
      yield* state.gate
      if (state.fault === "defect") return yield* Effect.die(new Error("broken adapter"))
      if (state.fault !== undefined) return yield* state.fault
      const context = yield* Layer.build(
        Layer.mock(TerminalRuntime, { runtime: name, sendProfile: "plain-pane", capabilities })
      )
      return Context.get(context, TerminalRuntime)
    })
  )
  const entry: RuntimeRegistry.Entry = { load: Effect.sync(() => log.push(`load ${name}`)).pipe(Effect.as(layer)) }
  return { name, log, state, entry }
}

const unavailable = (runtime: string, reason: RuntimeUnavailable["reason"] = "not-running") =>
  new RuntimeUnavailable({ runtime, reason, detail: `${runtime} does not answer` })

const withEntries = (entries: Readonly<Record<string, RuntimeRegistry.Entry>>) =>
  Effect.provideService(RuntimeRegistry.Entries, new Map(Object.entries(entries)))

const used = TerminalRuntime.useSync(({ runtime }) => runtime)

describe("RuntimeRegistry", () => {
  it.effect("knows no runtime of its own", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* RuntimeRegistry.list, [])
    }))

  it.effect("lists names sorted and loads nothing for that", () =>
    Effect.gen(function*() {
      const { entry, log } = adapter("any")

      const names = yield* RuntimeRegistry.list.pipe(withEntries({ tmux: entry, herdr: entry, pty: entry, Zed: entry }))

      assert.deepStrictEqual(names, ["Zed", "herdr", "pty", "tmux"])
      assert.deepStrictEqual(log, [])
    }))

  it.effect("registers beside what is there, replacing a name that is taken", () =>
    Effect.gen(function*() {
      const first = adapter("first")
      const second = adapter("second")

      const [names, runtime] = yield* Effect.all([
        RuntimeRegistry.list,
        Effect.provide(used, RuntimeRegistry.layer("tmux"))
      ]).pipe(
        Effect.provide(RuntimeRegistry.register({ tmux: second.entry, herdr: second.entry })),
        withEntries({ pty: first.entry, tmux: first.entry })
      )

      assert.deepStrictEqual(names, ["herdr", "pty", "tmux"])
      assert.strictEqual(runtime, "second")
    }))

  it.effect("registers twice as once, and unregisters a name that is not there", () =>
    Effect.gen(function*() {
      const { entry } = adapter("any")
      const registered = RuntimeRegistry.register({ tmux: entry, pty: entry })

      const twice = yield* Effect.provide(RuntimeRegistry.list, Layer.provideMerge(registered, registered))
      const without = yield* RuntimeRegistry.list.pipe(
        Effect.provide(Layer.provide(RuntimeRegistry.unregister("tmux", "kitty"), registered))
      )

      assert.deepStrictEqual(twice, ["pty", "tmux"])
      assert.deepStrictEqual(without, ["pty"])
    }))
})

describe("RuntimeRegistry.layer", () => {
  it.effect("loads and opens at use, only the runtime that was named, and closes it", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const tmux = adapter("tmux", log)
      const herdr = adapter("herdr", log)
      const named = RuntimeRegistry.layer("tmux")
      assert.deepStrictEqual(log, [])

      const runtime = yield* used.pipe(
        Effect.provide(named),
        withEntries({ herdr: herdr.entry, tmux: tmux.entry })
      )

      assert.strictEqual(runtime, "tmux")
      assert.deepStrictEqual(log, ["load tmux", "open tmux", "close tmux"])
    }))

  it.effect("fails for a name that is not registered, with those that are, sorted", () =>
    Effect.gen(function*() {
      const { entry, log } = adapter("any")

      const failure = yield* used.pipe(
        Effect.provide(RuntimeRegistry.layer("screen")),
        withEntries({ tmux: entry, herdr: entry, pty: entry }),
        Effect.flip
      )

      assert.deepInclude(failure, { _tag: "UnknownRuntime", runtime: "screen", available: ["herdr", "pty", "tmux"] })
      assert.deepStrictEqual(log, [])
    }))

  it.effect("takes no name from the prototype of anything", () =>
    Effect.gen(function*() {
      for (const name of ["constructor", "__proto__", "toString", ""]) {
        const failure = yield* Effect.flip(Effect.provide(used, RuntimeRegistry.layer(name)))
        assert.deepInclude(failure, { _tag: "UnknownRuntime", runtime: name })
      }
    }))

  it.effect("fails where the runtime cannot be opened, and uses no other", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const tmux = adapter("tmux", log)
      tmux.state.fault = unavailable("tmux")

      const failure = yield* used.pipe(
        Effect.provide(RuntimeRegistry.layer("tmux")),
        withEntries({ tmux: tmux.entry, pty: adapter("pty", log).entry }),
        Effect.flip
      )

      assert.deepInclude(failure, { _tag: "RuntimeUnavailable", runtime: "tmux", reason: "not-running" })
      assert.deepStrictEqual(log, ["load tmux", "open tmux", "close tmux"])
    }))

  it.effect("fails where the adapter cannot be loaded", () =>
    Effect.gen(function*() {
      const failure = yield* used.pipe(
        Effect.provide(RuntimeRegistry.layer("tmux")),
        withEntries({ tmux: { load: unavailable("tmux", "missing-program") } }),
        Effect.flip
      )

      assert.deepInclude(failure, { _tag: "RuntimeUnavailable", reason: "missing-program" })
    }))
})

const preferred = Effect.all({ runtime: used, report: RuntimeRegistry.Preferred })

describe("RuntimeRegistry.prefer", () => {
  it.effect("takes the first, and touches no other", () =>
    Effect.gen(function*() {
      const log: Array<string> = []

      const { runtime, report } = yield* preferred.pipe(
        Effect.provide(RuntimeRegistry.prefer(["tmux", "pty"])),
        withEntries({ pty: adapter("pty", log).entry, tmux: adapter("tmux", log).entry })
      )

      assert.strictEqual(runtime, "tmux")
      assert.deepStrictEqual(report, { runtime: "tmux", reason: "tmux is the first choice", passed: [] })
      assert.deepStrictEqual(log, ["load tmux", "open tmux", "close tmux"])
    }))

  it.effect("falls through unknown and unavailable runtimes, and keeps why each was passed over", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const tmux = adapter("tmux", log)
      tmux.state.fault = unavailable("tmux")

      const { runtime, report } = yield* preferred.pipe(
        Effect.provide(RuntimeRegistry.prefer(["zellij", "tmux", "kitty", "pty"])),
        withEntries({
          pty: adapter("pty", log).entry,
          tmux: tmux.entry,
          kitty: { load: unavailable("kitty", "missing-program") }
        })
      )

      assert.strictEqual(runtime, "pty")
      assert.strictEqual(report.runtime, "pty")
      assert.deepStrictEqual(report.passed.map((one) => one.runtime), ["zellij", "tmux", "kitty"])
      const [zellij, tmuxFailure, kitty] = report.passed.map((one) => one.failure)
      assert.deepInclude(zellij, { _tag: "UnknownRuntime", available: ["kitty", "pty", "tmux"] })
      assert.deepInclude(tmuxFailure, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.deepInclude(kitty, { _tag: "RuntimeUnavailable", reason: "missing-program" })
      for (const { failure } of report.passed) assert.include(report.reason, failure.message)
      assert.deepStrictEqual(log, ["load tmux", "open tmux", "close tmux", "load pty", "open pty", "close pty"])
    }))

  it.effect("fails with all reasons where none can be used", () =>
    Effect.gen(function*() {
      const failure = yield* preferred.pipe(
        Effect.provide(RuntimeRegistry.prefer(["zellij", "tmux", "kitty"])),
        withEntries({ tmux: { load: unavailable("tmux") }, kitty: { load: unavailable("kitty", "refused") } }),
        Effect.flip
      )

      assert.deepInclude(failure, { _tag: "RuntimeUnavailable", runtime: "tmux", reason: "not-running" })
      assert.isTrue(failure.retryable)
      for (const part of ["unknown runtime zellij", "tmux does not answer", "kitty does not answer"]) {
        assert.include(failure.message, part)
      }
    }))

  it.effect("fails as unknown where no name is registered", () =>
    Effect.gen(function*() {
      const failure = yield* preferred.pipe(
        Effect.provide(RuntimeRegistry.prefer(["zellij", "kitty"])),
        withEntries({ tmux: adapter("tmux").entry, pty: adapter("pty").entry }),
        Effect.flip
      )

      assert.deepInclude(failure, { _tag: "UnknownRuntime", runtime: "zellij, kitty", available: ["pty", "tmux"] })
    }))

  it.effect("does not hide a defect", () =>
    Effect.gen(function*() {
      const tmux = adapter("tmux")
      tmux.state.fault = "defect"
      const pty = adapter("pty")

      const exit = yield* preferred.pipe(
        Effect.provide(RuntimeRegistry.prefer(["tmux", "pty"])),
        withEntries({ tmux: tmux.entry, pty: pty.entry }),
        Effect.exit
      )

      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(pty.log, [])
    }))
})

const withRuntimes =
  (...adapters: ReadonlyArray<ReturnType<typeof adapter>>) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provide(RuntimeRegistry.layerRuntimes),
      withEntries(Object.fromEntries(adapters.map(({ name, entry }) => [name, entry])))
    )

describe("RuntimeRegistry.Runtimes", () => {
  it.effect("opens at first use, shares, and closes a minute after the last user", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      const { log } = tmux
      assert.deepStrictEqual(log, [])

      const both = yield* Effect.scoped(Effect.all([RuntimeRegistry.get("tmux"), RuntimeRegistry.get("tmux")]))
      assert.strictEqual(both[0], both[1])
      assert.deepStrictEqual(log, ["load tmux", "open tmux"])

      yield* TestClock.adjust("59 seconds")
      const again = yield* Effect.scoped(RuntimeRegistry.get("tmux"))
      assert.strictEqual(again, both[0])
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(log, ["load tmux", "open tmux"])

      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(log, ["load tmux", "open tmux", "close tmux"])
    }).pipe(withRuntimes(tmux))
  })

  it.effect("keeps a runtime that somebody holds, however long", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      const scope = yield* Scope.make()
      yield* Scope.provide(RuntimeRegistry.get("tmux"), scope)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(tmux.log, ["load tmux", "open tmux"])

      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(tmux.log, ["load tmux", "open tmux", "close tmux"])
    }).pipe(withRuntimes(tmux))
  })

  it.effect("holds several at once and closes all with the service", () => {
    const log: Array<string> = []
    const tmux = adapter("tmux", log)
    const pty = adapter("pty", log)
    return Effect.gen(function*() {
      const names = yield* Effect.all([RuntimeRegistry.get("tmux"), RuntimeRegistry.get("pty")]).pipe(
        Effect.map((runtimes) => runtimes.map(({ runtime }) => runtime)),
        withRuntimes(tmux, pty)
      )

      assert.deepStrictEqual(names, ["tmux", "pty"])
      assert.sameMembers(log.slice(4), ["close tmux", "close pty"])
    })
  })

  it.effect("opens once for two that ask at the same time", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      tmux.state.gate = Deferred.await(gate)

      const asking = yield* Effect.forkChild(
        Effect.all([RuntimeRegistry.get("tmux"), RuntimeRegistry.get("tmux")], { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Deferred.succeed(gate, undefined)
      const [one, other] = yield* Fiber.join(asking)

      assert.strictEqual(one, other)
      assert.deepStrictEqual(tmux.log, ["load tmux", "open tmux"])
    }).pipe(Effect.scoped, withRuntimes(tmux))
  })

  it.effect("tries again after a failed build, also in the scope that saw it fail", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      tmux.state.fault = unavailable("tmux")
      const failure = yield* Effect.flip(RuntimeRegistry.get("tmux"))
      assert.deepInclude(failure, { _tag: "RuntimeUnavailable", runtime: "tmux" })

      tmux.state.fault = undefined
      const { runtime } = yield* RuntimeRegistry.get("tmux")

      assert.strictEqual(runtime, "tmux")
      assert.deepStrictEqual(tmux.log, ["load tmux", "open tmux", "close tmux", "load tmux", "open tmux"])
    }).pipe(Effect.scoped, withRuntimes(tmux))
  })

  it.effect("gives one failure to all who waited for it, and the next who asks a new try", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      tmux.state.gate = Deferred.await(gate)
      tmux.state.fault = unavailable("tmux")

      const asking = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3], () => Effect.flip(RuntimeRegistry.get("tmux")), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Deferred.succeed(gate, undefined)
      const failures = yield* Fiber.join(asking)
      assert.strictEqual(new Set(failures).size, 1)
      assert.strictEqual(tmux.log.filter((line) => line === "load tmux").length, 1)

      tmux.state.fault = undefined
      const all = yield* Effect.all([RuntimeRegistry.get("tmux"), RuntimeRegistry.get("tmux")])
      assert.strictEqual(all[0], all[1])
      assert.strictEqual(tmux.log.filter((line) => line === "load tmux").length, 2)
    }).pipe(Effect.scoped, withRuntimes(tmux))
  })

  it.effect("tries again after a defect and after a name that was not registered", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      tmux.state.fault = "defect"
      assert.isTrue(Exit.hasDies(yield* Effect.exit(RuntimeRegistry.get("tmux"))))
      tmux.state.fault = undefined
      assert.strictEqual((yield* RuntimeRegistry.get("tmux")).runtime, "tmux")

      const unknown = yield* Effect.flip(RuntimeRegistry.get("kitty"))
      assert.deepInclude(unknown, { _tag: "UnknownRuntime", runtime: "kitty", available: ["tmux"] })
    }).pipe(Effect.scoped, withRuntimes(tmux))
  })

  it.effect("leaves nothing open where the only one who asked is interrupted", () => {
    const tmux = adapter("tmux")
    return Effect.gen(function*() {
      tmux.state.gate = Effect.never
      const asking = yield* Effect.forkChild(Effect.scoped(RuntimeRegistry.get("tmux")), { startImmediately: true })
      yield* Fiber.interrupt(asking)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(tmux.log, ["load tmux", "open tmux", "close tmux"])

      tmux.state.gate = Effect.void
      assert.strictEqual((yield* RuntimeRegistry.get("tmux")).runtime, "tmux")
    }).pipe(Effect.scoped, withRuntimes(tmux))
  })
})

describe("RuntimeRegistry.Outside", () => {
  const finder = (configured: Readonly<Record<string, RuntimeRegistry.Entry>>, installed: typeof configured) => ({
    configured: (name: string) => Effect.succeed(Option.fromUndefinedOr(configured[name])),
    installed: (name: string) => Effect.succeed(Option.fromUndefinedOr(installed[name])),
    names: Effect.succeed(
      new Map([...Object.keys(configured), ...Object.keys(installed)].map((name) => [name, "here"]))
    )
  })

  it.effect("finds what is not registered: configured before registered before installed", () =>
    Effect.gen(function*() {
      const [registered, configured, installed] = ["registered", "configured", "installed"].map((name) => adapter(name))
      if (registered === undefined || configured === undefined || installed === undefined) return
      const outside = finder({ a: configured.entry }, {
        a: installed.entry,
        b: installed.entry,
        c: installed.entry
      })
      const opens = (name: string) =>
        Effect.provide(used, RuntimeRegistry.layer(name)).pipe(
          withEntries({ a: registered.entry, b: registered.entry }),
          Effect.provideService(RuntimeRegistry.Outside, outside)
        )

      assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c"], opens), ["configured", "registered", "installed"])
      assert.deepInclude(yield* Effect.flip(opens("d")), { _tag: "UnknownRuntime", available: ["a", "b", "c"] })
      const held = yield* Effect.scoped(Effect.provide(RuntimeRegistry.get("c"), RuntimeRegistry.layerRuntimes)).pipe(
        Effect.provideService(RuntimeRegistry.Outside, outside)
      )
      assert.strictEqual(held.runtime, "installed")
    }))
})

describe("RuntimeRegistry.of", () => {
  const memory = (scope: string): RuntimeRegistry.Entry =>
    RuntimeRegistry.entry({ load: Effect.succeed(Memory.layer({ scope })) })
  const entries = { memory: memory("default"), lab: memory("lab") }
  const spawned = (name: string) =>
    Effect.flatMap(RuntimeRegistry.get(name), (rt) => Effect.map(rt.spawn({}), ({ handle }) => ({ rt, handle })))

  it.effect("gives the runtime that issued the handle, although another one has its name", () =>
    Effect.gen(function*() {
      const one = yield* spawned("memory")
      const other = yield* spawned("lab")

      assert.strictEqual(yield* RuntimeRegistry.of(one.handle), one.rt)
      assert.strictEqual(yield* RuntimeRegistry.of(other.handle), other.rt)
      yield* other.rt.closePane(other.handle)
      assert.strictEqual(yield* RuntimeRegistry.of(other.handle), other.rt)
    }).pipe(Effect.scoped, Effect.provide(RuntimeRegistry.layerRuntimes), withEntries(entries)))

  it.effect("opens the one that is registered under its name, and fails for a handle of another server or host", () =>
    Effect.gen(function*() {
      const { handle } = yield* Effect.scoped(spawned("memory"))
      const elsewhere = new PaneHandle({ ...handle, scope: "other" })
      const away = new PaneHandle({ ...handle, host: "away" })
      const unknown = new PaneHandle({ ...handle, runtime: "nope" })

      assert.strictEqual((yield* RuntimeRegistry.of(handle)).runtime, "memory")
      for (const foreign of [elsewhere, away]) {
        const failure = yield* Effect.flip(RuntimeRegistry.of(foreign))
        assert.deepInclude(failure, { _tag: "TargetNotFound", reason: "foreign" })
      }
      assert.deepInclude(yield* Effect.flip(RuntimeRegistry.of(unknown)), { _tag: "UnknownRuntime", runtime: "nope" })
    }).pipe(Effect.scoped, Effect.provide(RuntimeRegistry.layerRuntimes), withEntries(entries)))
})
