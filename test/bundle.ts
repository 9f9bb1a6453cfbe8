/**
 * Bundles the bin for the tests of this run alone, so that they never try an older one or one that is being built.
 * Afterwards that is removed, and the home directory that the tests had.
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { resolve } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly bin: string
  }
}

export const setup = (project: TestProject) => {
  const folder = resolve(`.cache/bin-${process.pid}`)
  execFileSync("node_modules/.bin/rolldown", ["-c", "--logLevel", "warn", "--dir", folder], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  project.provide("bin", resolve(folder, "paneway.mjs"))
  return () => {
    const { HOME } = project.config.env
    for (const made of [folder, HOME]) if (made !== undefined) rmSync(made, { recursive: true, force: true })
  }
}
