import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

const fixture = fileURLToPath(new URL("../../fixtures/widths.ts", import.meta.url))

const printed = (code: number) =>
  Effect.callback<{ readonly column: number; readonly arrayBuffers: number }>((resume) => {
    execFile(process.execPath, [fixture, `${code}`], { timeout: 30_000 }, (cause, stdout, stderr) => {
      resume(cause === null ? Effect.sync(() => JSON.parse(stdout)) : Effect.die(new Error(stderr, { cause })))
    })
  })

it.live.each([0, 1, 255])(
  "the tables of widths are whole whatever else the process keeps: byte %i",
  (code) =>
    Effect.gen(function*() {
      const { arrayBuffers, column } = yield* printed(code)

      assert.strictEqual(column, 8)
      assert.isBelow(arrayBuffers, 64 * 1024 * 1024)
    }),
  30_000
)
