// Compiles the bench, which measures wrongly when types are stripped as it runs, and runs it with the arguments given.
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { rolldown } from "rolldown"
import config from "../rolldown.config.mjs"

const dir = ".cache/bench"
mkdirSync(dir, { recursive: true })
const build = await rolldown({
  input: ["test/bench/main.ts", "test/bench/ptyChild.ts"],
  platform: "node",
  external: [/^@lydell\/node-pty/]
})
await build.write({ dir, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" })
await build.close()
const bin = await rolldown(config)
await bin.write({ ...config.output, dir: `${dir}/bin` })
await bin.close()
const { status } = spawnSync(process.execPath, ["--expose-gc", `${dir}/main.mjs`, ...process.argv.slice(2)], {
  stdio: "inherit"
})
process.exitCode = status ?? 1
