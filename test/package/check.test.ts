import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { basename, delimiter, join, resolve } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { exec, type Finished, said } from "../../scripts/exec.ts"

const root = resolve(import.meta.dirname, "../..")
const left = new Set(["node_modules", "dist", "coverage", ".git", ".docs-check"])

/** What is planted, where, which part of the command must catch it, and the words by which that names the violation. */
const violations = [
  {
    kind: "a file that is not formatted",
    part: "dprint check",
    files: { "test/planted.ts": "export const planted   = 1;\n" },
    names: ["test/planted.ts", "not formatted"]
  },
  {
    kind: "an import across rooms",
    part: "oxlint --type-aware",
    files: { "src/planted.ts": "export * from \"../layers/Pty.ts\"\n" },
    names: ["src/planted.ts", "no-restricted-imports"]
  },
  {
    kind: "a floating promise",
    part: "oxlint --type-aware",
    files: { "test/planted.ts": "const later = async (): Promise<number> => 1\nlater()\n" },
    names: ["test/planted.ts", "no-floating-promises"]
  },
  {
    kind: "a floating Effect",
    part: "tsc",
    files: { "src/planted.ts": "import * as Effect from \"effect/Effect\"\n\nEffect.log(\"never runs\")\n" },
    names: ["src/planted.ts", "floatingEffect"]
  },
  {
    kind: "an unused export",
    part: "knip",
    files: {
      "test/planted.ts": "export const used = 1\nexport const unused = 2\n",
      "test/planted.test.ts": "import { used } from \"./planted.ts\"\n\nvoid used\n"
    },
    names: ["test/planted.ts", "Unused exports"]
  }
]

/** Tools that look at the files that they are told; knip looks at all of them. */
const told = (part: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (part === "knip") return []
  return part === "tsc" ? ["-p", "tsconfig.planted.json"] : paths
}

describe("npm run check", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const env = {
    DPRINT_CACHE_DIR: join(userInfo().homedir, ".cache/dprint"),
    ...process.env,
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`
  }
  let copy = ""
  const run = (part: string, args: ReadonlyArray<string>): Promise<Finished> => {
    const [tool = "", ...words] = part.split(" ")
    return exec(tool, [...words, ...args], { cwd: copy, env, seconds: 120 })
  }

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "paneway-check-"))
    await cp(root, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
    await symlink(join(root, "node_modules"), join(copy, "node_modules"))
    // by the name by which it has compiled its plugins
    const format = await readFile(join(root, "dprint.json"), "utf8")
    await writeFile(join(copy, "dprint.json"), format.replaceAll("./node_modules", join(root, "node_modules")))
  })
  afterAll(() => rm(copy, { recursive: true, force: true }))

  for (const { kind, part, files, names } of violations) {
    it(`fails on ${kind} and names the file`, async () => {
      const paths = Object.keys(files)
      for (const [path, text] of Object.entries(files)) await writeFile(join(copy, path), text)
      const planted = { extends: "./tsconfig.json", files: paths, include: [] }
      if (part === "tsc") await writeFile(join(copy, "tsconfig.planted.json"), JSON.stringify(planted))

      const result = await run(part, told(part, paths))
      const seen = part === "tsc" ? said(await run(part, ["--listFilesOnly"])) : undefined

      for (const path of paths) await rm(join(copy, path))
      assert.include(scripts.check.split(" && "), part)
      assert.notStrictEqual(result.code, 0)
      for (const name of names) assert.include(said(result), name)
      if (seen !== undefined) { for (const path of paths) assert.include(seen, join(copy, path)) }
    }, 150_000)
  }
})
