import { chmod } from "node:fs/promises"
import { createRequire } from "node:module"
import { defineConfig } from "rolldown"

const crypto = createRequire(import.meta.url)("node:crypto")

/** `node:crypto` takes as long to load as all that a short command does; what imports it mostly never calls it. */
const lateCrypto = {
  name: "late-crypto",
  resolveId: {
    filter: { id: /^node:crypto$/ },
    handler: () => ({ id: "\0crypto", moduleSideEffects: false })
  },
  load: {
    filter: { id: /^\0crypto$/ },
    handler: () =>
      Object.keys(crypto).filter((key) => /^[a-z]\w*$/.test(key) && typeof crypto[key] === "function").map((key) =>
        `export const ${key} = (...given) => process.getBuiltinModule("crypto").${key}(...given)`
      ).join("\n")
  }
}

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
  plugins: [lateCrypto, { name: "executable", writeBundle: ({ dir }) => chmod(`${dir}/paneway.mjs`, 0o755) }]
})
