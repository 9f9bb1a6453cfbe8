/**
 * Writes README's table of what each runtime can do from the capabilities that the runtimes state themselves.
 * `--check`: changes nothing, and fails when the table is not what they state.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, writeFileSync } from "node:fs"
import * as Pty from "../layers/Pty.ts"
import * as Tmux from "../layers/Tmux.ts"
import * as Capabilities from "../src/Capabilities.ts"
import { TerminalRuntime } from "../src/TerminalRuntime.ts"

const begin = "<!-- support table: npm run docs:support -->\n"
const end = "<!-- end of the support table -->"

const runtimes = await Effect.runPromise(Effect.scoped(
  Effect.forEach(
    // no server runs by that name, and none is started
    [Pty.layer(), Tmux.layer({ server: { name: `paneway-none-${process.pid}` } })],
    (layer) => Effect.map(Layer.build(layer), (context) => Context.get(context, TerminalRuntime))
  )
))

const names = Capabilities.Capability.literals
const rows = [
  ["", ...runtimes.map(({ runtime }) => runtime)],
  ["---", ...runtimes.map(() => "---")],
  ...names.map((name) => [`\`${name}\``, ...runtimes.map(({ capabilities }) => capabilities[name])])
]
const widths = rows.reduce<ReadonlyArray<number>>(
  (most, row) => row.map((cell, column) => Math.max(cell.length, most[column] ?? 0)),
  []
)
const line = (row: ReadonlyArray<string>) =>
  `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === "---" ? "-" : " ")).join(" | ")} |`

const readme = readFileSync("README.md", "utf8")
const [head = "", rest = ""] = readme.split(begin)
const [, tail = ""] = rest.split(end)
const wanted = `${head}${begin}\n${rows.map(line).join("\n")}\n\n${end}${tail}`

if (process.argv.includes("--check")) {
  if (wanted !== readme) {
    console.error("README.md: the support table is not what the runtimes state: npm run docs:support")
    process.exitCode = 1
  }
} else {
  writeFileSync("README.md", wanted)
}
