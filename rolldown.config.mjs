import { chmod } from "node:fs/promises"
import { defineConfig } from "rolldown"

export default defineConfig({
  input: { paneway: "src/bin.ts", host: "src/main/host.ts" },
  platform: "node",
  external: [/^@lydell\/node-pty/],
  output: {
    dir: "dist/bin",
    format: "esm",
    minify: true,
    cleanDir: true,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs"
  },
  plugins: [{ name: "executable", writeBundle: ({ dir }) => chmod(`${dir}/paneway.mjs`, 0o755) }]
})
