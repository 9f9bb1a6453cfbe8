import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Pty from "../../layers/Pty.ts"
import { Host } from "../../layers/pty/native.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const on = (platform: string, arch: string) =>
  TerminalRuntime.pipe(
    Effect.provide(Pty.layer()),
    Effect.provideService(Host, { platform, arch }),
    Effect.flip
  )

describe("where there is no native pty the embedded runtime", () => {
  it.effect("is unavailable and says how to install it for this machine", () =>
    Effect.gen(function*() {
      const error = yield* on("aix", "ppc64")

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", runtime: "pty", reason: "missing-program" })
      assert.match(error.message, /no native pty for aix-ppc64.*reinstall.*--runtime/s)
      assert.strictEqual(Runtime.getErrorExitCode(error), 3)
    }))

  it.effect("is unavailable on Windows and says what to do instead", () =>
    Effect.gen(function*() {
      const error = yield* on("win32", "x64")

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", runtime: "pty", reason: "unsupported-version" })
      assert.match(error.message, /Windows.*WSL.*--runtime/s)
    }))

  it.effect("is told as such before anything is tried", () =>
    Effect.gen(function*() {
      const examination = yield* Effect.provideService(Pty.examine, Host, { platform: "aix", arch: "ppc64" })

      assert.isFalse(examination.usable)
      assert.match(examination.advice.join("\n"), /reinstall/)
    }))
})
