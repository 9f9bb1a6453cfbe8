import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { type Owner, scanNow } from "../../../layers/internal/processTable.ts"

it.live.runIf(process.platform === "linux")(
  "a program is its pane's before it has a session and an environment",
  () =>
    Effect.gen(function*() {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["60"], { stdio: "ignore" })),
        (started) => Effect.sync(() => started.kill("SIGKILL"))
      )
      const owner: Owner = {
        leader: child.pid ?? 0,
        since: 0,
        tag: "none",
        tty: undefined,
        endedAt: undefined,
        survivors: new Map()
      }

      assert.deepStrictEqual(scanNow([owner]).get(owner)?.map(({ pid }) => pid), [child.pid])
    })
)
