import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { join } from "node:path"
import * as Registry from "../../layers/Registry.ts"
import * as RuntimeConfig from "../../src/RuntimeConfig.ts"
import * as RuntimeRegistry from "../../src/RuntimeRegistry.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Adapters from "../fixtures/adapters.ts"

const withModules = (layers: Readonly<Record<string, string>>, session?: string) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(RuntimeConfig.Current, (none) =>
    effect.pipe(
      Effect.provideService(RuntimeRegistry.Outside, Registry.thirdParty),
      Effect.provideService(RuntimeConfig.Current, { ...none, layers, ...(session === undefined ? {} : { session }) })
    ))

describe("a module that a config file names", () => {
  it.live("is a runtime like those that come with Paneway, and has the settings", () =>
    Effect.gen(function*() {
      const root = yield* Adapters.tree({ "adapter.mjs": Adapters.good })
      const program = Effect.gen(function*() {
        const rt = yield* TerminalRuntime
        const { handle } = yield* rt.spawn({})
        const report = yield* rt.sendCommand(handle, "hello")
        return { runtime: rt.runtime, scope: handle.scope, outcome: report.outcome }
      }).pipe(Effect.provide(RuntimeRegistry.layer("memory")))

      const told = yield* withModules({ memory: join(root, "adapter.mjs") }, "mine")(program)

      assert.deepInclude(told, { runtime: "memory", scope: "mine" })
      assert.notStrictEqual(told.outcome, "in-doubt")
    }))

  it.live("is not imported before its runtime is asked for", () =>
    Effect.gen(function*() {
      const root = yield* Adapters.tree({ "adapter.mjs": "globalThis.panewayTestImported = true; throw new Error()" })
      const path = join(root, "adapter.mjs")

      const names = yield* withModules({ memory: path })(
        Effect.andThen(RuntimeRegistry.find("memory"), Registry.thirdParty.names)
      )

      assert.strictEqual(names.get("memory"), path)
      assert.notProperty(globalThis, "panewayTestImported")
    }))

  it.live.each(Adapters.broken)(
    "and that %s is unavailable, and the failure says why",
    ([, text, reason, said]) =>
      Effect.gen(function*() {
        const root = yield* Adapters.tree({ "adapter.mjs": text })
        const path = join(root, "adapter.mjs")
        const runs = Effect.provide(TerminalRuntime.useSync(() => "used"), RuntimeRegistry.layer("memory"))

        const failure = yield* Effect.flip(withModules({ memory: path })(runs))

        assert.deepInclude(failure, { _tag: "RuntimeUnavailable", runtime: "memory", reason })
        assert.include(failure.message, said)
        if (reason !== "not-running") assert.include(failure.message, path)
      })
  )

  it.live("and that is not there, or is of another runtime, or has a name that no handle can hold, is unavailable", () =>
    Effect.gen(function*() {
      const root = yield* Adapters.tree({ "adapter.mjs": Adapters.good })
      const refused = (name: string, file: string) =>
        Effect.flip(
          withModules({ [name]: join(root, file) })(
            Effect.provide(TerminalRuntime.useSync(() => "used"), RuntimeRegistry.layer(name))
          )
        )

      assert.include((yield* refused("memory", "nothing.mjs")).message, "cannot be loaded")
      assert.include(
        (yield* refused("other", "adapter.mjs")).message,
        "calls its runtime memory: use it under that name"
      )
      assert.include((yield* refused("a:b", "adapter.mjs")).message, "a name that a handle cannot hold")
    }))

  it.live("is examined, and one that cannot be is of no use", () =>
    Effect.gen(function*() {
      const root = yield* Adapters.tree({ "good.mjs": Adapters.good, "bad.mjs": "throw new Error(\"no luck\")" })
      const examined = (name: string) =>
        Effect.flatMap(RuntimeRegistry.find(name), ({ examine }) => examine ?? Effect.die("cannot tell"))
      const modules = withModules({ memory: join(root, "good.mjs"), bad: join(root, "bad.mjs") })

      assert.deepStrictEqual(yield* modules(examined("memory")), {
        usable: true,
        facts: [`its adapter is the module ${join(root, "good.mjs")}`, "it is in memory"],
        advice: []
      })
      const bad = yield* modules(examined("bad"))
      assert.isFalse(bad.usable)
      assert.include(bad.advice[0], "cannot be loaded: no luck")
    }))

  it.effect("is looked for by its name and no other", () =>
    Effect.gen(function*() {
      const found = (name: string) => withModules({})(Registry.thirdParty.configured(name))

      for (const name of ["constructor", "__proto__", "memory", ""]) {
        assert.isTrue(Option.isNone(yield* found(name)))
        assert.isTrue(Option.isNone(yield* Registry.thirdParty.installed(name)))
      }
      assert.isTrue(Option.isNone(yield* Registry.thirdParty.installed("../../../effect")))
    }))
})
