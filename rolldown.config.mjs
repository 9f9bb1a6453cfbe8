import { chmod } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
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

/** All that a module imports, without itself: it may be a program. */
const closure = (file, context) => {
  const id = fileURLToPath(new URL(file, import.meta.url))
  const found = new Set([id])
  for (const one of found) for (const next of context.getModuleInfo(one)?.importedIds ?? []) found.add(next)
  found.delete(id)
  return found
}

let whole

/** What commands need that do not go the short way is one file: Node takes its time for each. */
const together = {
  debugName: "whole",
  name: (id, context) => {
    whole ??= closure("src/main/program.ts", context).union(closure("src/cli/actions/run.ts", context))
      .difference(closure("src/main.ts", context))
    return whole.has(id) ? "whole" : null
  }
}

export default defineConfig({
  input: { paneway: "src/bin.ts", host: "src/main/host.ts" },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  external: [/^@lydell\/node-pty/],
  output: {
    dir: "dist/bin",
    format: "esm",
    minify: true,
    codeSplitting: { groups: [together], includeDependenciesRecursively: false },
    cleanDir: true,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs"
  },
  plugins: [lateCrypto, { name: "executable", writeBundle: ({ dir }) => chmod(`${dir}/paneway.mjs`, 0o755) }]
})
