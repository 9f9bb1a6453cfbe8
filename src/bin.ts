#!/usr/bin/env node
import * as module from "node:module"

const fail = (text: string) => {
  process.stderr.write(`paneway: ${text}\n`)
  process.exit(1)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  fail(`Node.js 22.19 or newer is needed, and this is ${process.versions.node}: install a newer one`)
}

/** Level by level: creating a whole path at once never ends on some special file systems. */
const compileCache = (): string | undefined => {
  const { HOME, XDG_CACHE_HOME } = process.env
  const base = XDG_CACHE_HOME?.startsWith("/") ? XDG_CACHE_HOME : HOME?.startsWith("/") ? `${HOME}/.cache` : undefined
  const { existsSync, mkdirSync } = process.getBuiltinModule("fs")
  if (base === undefined) return undefined
  for (const folder of [base, `${base}/paneway`, `${base}/paneway/compile`]) {
    try {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    } catch {
      return undefined
    }
  }
  return `${base}/paneway/compile`
}

const cache = compileCache()
if (cache !== undefined) module.enableCompileCache(cache)
await import("./main.ts").catch((cause: unknown) =>
  fail(`cannot start: ${cause instanceof Error ? cause.message : String(cause)}`)
)
