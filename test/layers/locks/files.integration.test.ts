import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-locks-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A process of its own that sends under the lock; it can be told to begin, and tells how far it is. */
const sender = Effect.fnUntraced(function*(path: string, name: string, rounds: number, how: "work" | "hang") {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["test/fixtures/lockSender.ts", join(path, "log"), name, `${rounds}`, how], {
        env: { ...process.env, XDG_RUNTIME_DIR: path },
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const words = { ready: yield* Deferred.make<void>(), holding: yield* Deferred.make<void>() }
  const done = yield* Deferred.make<number | string | null>()
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().split("\n")) {
      if (line === "ready" || line === "holding") Deferred.doneUnsafe(words[line], Exit.void)
    }
  })
  child.once("exit", (code, signal) => Deferred.doneUnsafe(done, Exit.succeed(code ?? signal)))
  return {
    name,
    ready: Deferred.await(words.ready),
    holding: Deferred.await(words.holding),
    done: Deferred.await(done),
    begin: Effect.sync(() => child.stdin.end("go\n")),
    kill: Effect.sync(() => child.kill("SIGKILL"))
  }
})

describe("twenty processes that write to one pane", () => {
  it.live(
    "each finish, one whole message after the other, although some are killed with the lock in their hands",
    () =>
      Effect.gen(function*() {
        const path = yield* folder
        const rounds = 15
        const workers = yield* Effect.forEach(
          Array.from({ length: 16 }, (_, n) => `worker-${n}`),
          (name) => sender(path, name, rounds, "work")
        )
        const victims = yield* Effect.forEach(
          Array.from({ length: 4 }, (_, n) => `victim-${n}`),
          (name) => sender(path, name, 3, "hang")
        )
        const all = [...workers, ...victims]
        yield* Effect.forEach(all, ({ ready }) => ready, { concurrency: "unbounded" })

        yield* Effect.forEach(all, ({ begin }) => begin)
        const killed = yield* Effect.forEach(
          victims,
          ({ done, holding, kill }) => Effect.andThen(Effect.andThen(holding, kill), done),
          { concurrency: "unbounded" }
        )
        const codes = yield* Effect.forEach(workers, ({ done }) => done, { concurrency: "unbounded" })

        assert.deepStrictEqual(killed, victims.map(() => "SIGKILL"))
        assert.deepStrictEqual(codes, workers.map(() => 0))
        const lines = readFileSync(join(path, "log"), "utf8").trimEnd().split("\n")
        const messages: Array<string> = []
        for (let at = 0; at < lines.length;) {
          const [, message = ""] = /^begin (.*)$/.exec(lines[at] ?? "") ?? []
          messages.push(message)
          const cut = /^victim-\d 3$/.test(message)
          const whole = [`begin ${message}`, `middle ${message}`, `end ${message}`].slice(0, cut ? 2 : 3)
          assert.deepStrictEqual(lines.slice(at, at + whole.length), whole)
          at += whole.length
        }
        const expected = [
          ...workers.flatMap(({ name }) => Array.from({ length: rounds }, (_, n) => `${name} ${n + 1}`)),
          ...victims.flatMap(({ name }) => [1, 2, 3].map((n) => `${name} ${n}`))
        ]
        assert.deepStrictEqual(messages.toSorted(), expected.toSorted())
        // whoever gave the lock back let the others go first
        const again = messages.filter((message, n) => message.split(" ")[0] === messages[n - 1]?.split(" ")[0])
        assert.isBelow(again.length, messages.length / 3)
        assert.deepStrictEqual(
          readdirSync(join(path, "paneway", "locks")).filter((name) => !/\.(holder|wanted)$/.test(name)),
          []
        )
      }),
    120_000
  )
})
