/**
 * Measures what the design promises, side by side in one run: `npm run bench`, `--json` for one object, `--check` to exit
 * with 1 when a row misses its target by more than a fifth, `--only WORD` for the rows of one group.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import { agents } from "./agents.ts"
import { cli } from "./cli.ts"
import { contract } from "./contract.ts"
import { host } from "./host.ts"
import { locks } from "./locks.ts"
import { marks } from "./marks.ts"
import { pty } from "./pty.ts"
import { remote } from "./remote.ts"
import { meets, type Row, slack, table } from "./row.ts"
import { tmux } from "./tmux.ts"
import { waiters } from "./waiters.ts"

const groups: ReadonlyArray<readonly [string, Effect.Effect<ReadonlyArray<Row>, RuntimeError, Scope.Scope>]> = [
  ["contract", contract],
  ["locks", locks],
  ["marks", marks],
  ["waits", waiters],
  ["pty", pty],
  ["tmux", tmux],
  ["remote", remote],
  ["host", host],
  ["agents", agents],
  ["cli", cli]
]

const args = process.argv.slice(2)
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined

const rows = await Effect.runPromise(Effect.scoped(Effect.forEach(
  groups.filter(([name]) => only === undefined || name === only),
  ([name, measure]) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kmeasuring ${name}`)
    return measure
  }
)))
if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")

const all = rows.flat()
if (args.includes("--json")) {
  console.log(JSON.stringify({ slack, rows: all.map((row) => ({ ...row, ok: meets(row, slack) })) }))
} else console.log(table(all))
if (args.includes("--check") && !all.every((row) => meets(row, slack))) process.exitCode = 1
