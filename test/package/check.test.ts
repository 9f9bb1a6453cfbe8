import { assert, describe, it } from "@effect/vitest"
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { exec, type Finished, said } from "../../scripts/exec.ts"

const root = resolve(import.meta.dirname, "../..")
const left = new Set(["node_modules", "dist", "coverage", ".git", ".docs-check"])

/** What is planted, where, and the words by which the tool that must catch it names the kind of violation. */
const violations = [
  {
    kind: "a file that is not formatted",
    files: { "test/planted.ts": "export const planted   = 1;\n" },
    names: ["test/planted.ts", "not formatted"]
  },
  {
    kind: "an import across rooms",
    files: { "src/planted.ts": "export * from \"../layers/Pty.ts\"\n" },
    names: ["src/planted.ts", "no-restricted-imports"]
  },
  {
    kind: "a floating promise",
    files: { "test/planted.ts": "const later = async (): Promise<number> => 1\nlater()\n" },
    names: ["test/planted.ts", "no-floating-promises"]
  },
  {
    kind: "a floating Effect",
    files: { "src/planted.ts": "import * as Effect from \"effect/Effect\"\n\nEffect.log(\"never runs\")\n" },
    names: ["src/planted.ts", "floatingEffect"]
  },
  {
    kind: "an unused export",
    files: {
      "test/planted.ts": "export const used = 1\nexport const unused = 2\n",
      "test/planted.test.ts": "import { used } from \"./planted.ts\"\n\nvoid used\n"
    },
    names: ["test/planted.ts", "Unused exports"]
  }
]

describe("npm run check", () => {
  let copy = ""
  const check = (): Promise<Finished> => exec("npm", ["run", "check"], { cwd: copy, seconds: 120 })

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "paneway-check-"))
    await cp(root, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
    await symlink(join(root, "node_modules"), join(copy, "node_modules"))
  })
  afterAll(() => rm(copy, { recursive: true, force: true }))

  for (const { kind, files, names } of violations) {
    it(`fails on ${kind} and names the file`, async () => {
      for (const [path, text] of Object.entries(files)) await writeFile(join(copy, path), text)

      const result = await check()

      for (const path of Object.keys(files)) await rm(join(copy, path))
      assert.notStrictEqual(result.code, 0)
      for (const name of names) assert.include(said(result), name)
    }, 150_000)
  }
})
