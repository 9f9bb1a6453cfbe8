import { mkdtempSync } from "node:fs"
import { availableParallelism, homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

// shells that are started and ended by the hundred read no start-up files of whoever runs the tests
const home = mkdtempSync(join(tmpdir(), "paneway-test-home-"))

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/bundle.ts"],
    setupFiles: ["./test/setup.ts"],
    env: {
      HOME: home,
      npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm")
    },
    // most tests wait more than they work
    maxWorkers: Math.max(2, availableParallelism() - 1),
    maxConcurrency: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
