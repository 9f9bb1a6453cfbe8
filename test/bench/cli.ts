/** The command line as a script calls it: whole processes, each as a multiple of a Node that does nothing. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Row } from "./row.ts"
import { median } from "./sampling.ts"

/** Bundled by `scripts/bench.mjs` as for users. */
const program = fileURLToPath(new URL("./bin/paneway.mjs", import.meta.url))

const rounds = 15

/** No terminal program is around it, and no config file above it. */
const around = /^(?:TMUX|PANEWAY_|ACE_|HERDR|ZELLIJ|STY|KITTY|WEZTERM|XDG_)/

const userOf = (home: string) => {
  const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !around.test(name)))
  const env = { ...others, HOME: home, XDG_RUNTIME_DIR: home, SHELL: "/bin/sh" }
  return (...args: ReadonlyArray<string>): Effect.Effect<string> =>
    Effect.callback((resume) => {
      execFile(process.execPath, [...args], { env, cwd: home, timeout: 60_000 }, (cause, stdout, stderr) => {
        resume(cause === null ? Effect.succeed(stdout) : Effect.die(new Error(stderr, { cause })))
      })
    })
}

const took = Effect.fnUntraced(function*(run: Effect.Effect<unknown>) {
  const begin = performance.now()
  yield* run
  return performance.now() - begin
})

const hot = { most: 2.5 }
const cold = { most: 4 }

export const cli = Effect.gen(function*() {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  )
  const node = userOf(home)
  const paneway = (...words: ReadonlyArray<string>) => node(program, ...words)
  yield* Effect.addFinalizer(() => paneway("host", "stop", "--force").pipe(Effect.catchDefect(() => Effect.void)))
  const spawned = yield* paneway("spawn", "--", "sh", "-c", "stty -echo; echo ready; exec cat")
  const pane = spawned.trim()
  const { mark }: { readonly mark: string } = JSON.parse(yield* paneway("capture", pane, "--json"))
  yield* paneway("wait", "output", pane, "--match", "ready")
  yield* paneway("send", "--pane", pane, "--msg", "aft", "--msg", "erwards", "--key", "Enter")
  const lines: ReadonlyArray<readonly [ReadonlyArray<string>, { readonly most: number }]> = [
    [["send", "--pane", pane, "--cmd", "x", "--quiet"], hot],
    [["send", "--pane", pane, "--cmd", "x", "--json"], hot],
    [["capture", pane], hot],
    [["capture", pane, "--full", "--json"], hot],
    [["wait", "output", pane, "--match", "afterwards"], hot],
    [["wait", "output", pane, "--match", "afterwards", "--after", mark, "--json"], hot],
    [["wait", "lifecycle", "pane-exists", pane], hot],
    [["panes", "--json"], hot],
    [["probe", pane, "--json"], hot],
    [["describe", pane, "--json"], hot],
    [["--help"], cold],
    [["detect"], cold],
    [["host", "status"], { most: Infinity }],
    [["run", "--", "true"], { most: 5.5 }]
  ]
  // each keeps its compiled code when it runs first
  for (const [words] of lines) yield* paneway(...words)
  const bare: Array<number> = []
  const ratios = lines.map(() => new Array<number>())
  for (let round = 0; round < rounds; round++) {
    const base = yield* took(node("-e", "0"))
    bare.push(base)
    for (const [at, [words]] of lines.entries()) ratios[at]?.push((yield* took(paneway(...words))) / base)
  }
  return lines.map(([words, target], at): Row => ({
    name: `cli: ${words.map((word) => word === pane ? "P" : word === mark ? "M" : word).join(" ")}`,
    value: median(ratios[at] ?? []),
    unit: "x",
    target,
    detail: `of node -e 0, ${median(bare).toFixed(0)} ms${target.most === Infinity ? "; for information" : ""}`
  }))
})
