// Compiles the bench, which measures wrongly when types are stripped as it runs, and runs it with the arguments given.
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { rolldown } from "rolldown"

const dir = ".cache/bench"
mkdirSync(dir, { recursive: true })
const build = await rolldown({
  input: ["test/bench/main.ts", "test/bench/ptyChild.ts"],
  platform: "node",
  external: [/^@lydell\/node-pty/]
})
await build.write({ dir, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" })
await build.close()
const { status } = spawnSync(process.execPath, ["--expose-gc", `${dir}/main.mjs`, ...process.argv.slice(2)], {
  stdio: "inherit"
})
process.exitCode = status ?? 1
