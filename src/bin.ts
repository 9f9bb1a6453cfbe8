#!/usr/bin/env node
import * as module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `paneway needs Node.js 22.19 or newer, and this is ${process.versions.node}: install a newer one\n`
  )
  process.exit(1)
}
const cache = process.env.XDG_CACHE_HOME || `${process.env.HOME || ""}/.cache`
if (cache.startsWith("/") && !process.env.NODE_DISABLE_COMPILE_CACHE) {
  module.enableCompileCache(`${cache}/paneway/compile`)
}
await import("./main.ts")
