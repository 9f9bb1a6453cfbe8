/** Tmux servers of tests: each on its own socket, with no file of a user, gone with the scope. */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Server } from "../../../layers/tmux/server.ts"
import * as Servers from "../../../layers/tmux/server.ts"

export interface TestServer extends Server {
  /** Runs `tmux` on this server and gives what it prints. */
  readonly tmux: (...args: ReadonlyArray<string>) => string
  readonly env: Record<string, string>
}

const state = { next: 0 }

/** Of no server of the machine, and nothing of the user's files. */
export const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...Servers.environment(process.env),
  LC_ALL: "C.UTF-8",
  SHELL: "/bin/sh",
  ...more
})

/** A name for `-L`, and the directory of its socket. */
export const place = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "paneway-tmux-")))
    return { folder, name: `paneway-test-${process.pid}-${++state.next}` }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Has no server yet. */
export const emptyServer = Effect.gen(function*() {
  const { folder, name } = yield* place
  const path = join(folder, name)
  const env = environment()
  const tmux = (...args: ReadonlyArray<string>) =>
    execFileSync("tmux", ["-S", path, "-u", "-f", "/dev/null", ...args], {
      env,
      encoding: "utf8",
      timeout: 10_000,
      stdio: ["ignore", "pipe", "pipe"]
    })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      try {
        tmux("kill-server")
      } catch {
        // it is gone already
      }
    })
  )
  const server: TestServer = { path, args: ["-S", path], tmux, env }
  return server
})

/** Runs, with a session `keeper` of one pane that sleeps. */
export const runningServer = Effect.tap(
  emptyServer,
  ({ tmux }) => Effect.sync(() => tmux("new-session", "-d", "-s", "keeper", "-x", "120", "-y", "40", "exec sleep 1000"))
)
