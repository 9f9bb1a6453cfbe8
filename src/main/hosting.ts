/** The host of the command line: where its module is, and what it is given. */
import { fileURLToPath } from "node:url"
import * as Registry from "../../layers/Registry.ts"
import type { Control } from "../cli/Host.ts"
import { version } from "./version.ts"

/** Beside the bundle of the command line, or beside this file where nothing was bundled. */
const entry = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./host.ts" : "./host.mjs", import.meta.url))

const { ensure, entries, inProcess, report, status, stop } = Registry.host({
  entry,
  get version() {
    return version() // read from a file, which only a host needs
  },
  env: process.env
})

export { entries }
export const control: Control = { ensure, status, stop, report, inProcess }
