import { assert, describe, it } from "@effect/vitest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { exec, type Finished } from "../../scripts/exec.ts"

const script = resolve(import.meta.dirname, "../../scripts/docs-check.ts")

interface Checked extends Finished {
  readonly page: string
}

const checkPage = async (lines: ReadonlyArray<string>): Promise<Checked> => {
  const folder = await mkdtemp(join(tmpdir(), "paneway-page-"))
  const page = join(folder, "page.md")
  try {
    await writeFile(page, lines.join("\n"))
    return { page, ...await exec(process.execPath, [script, page], { cwd: folder, seconds: 120 }) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const effect = "import * as Effect from \"effect/Effect\""

describe("docs:check", () => {
  it("accepts a page whose blocks compile, and print and exit as stated", async () => {
    const { code, stdout, stderr } = await checkPage([
      "# A page",
      "```ts",
      effect,
      "export const program: Effect.Effect<number> = Effect.succeed(1)",
      "```",
      "- an item with a block of its own",
      "  ```ts run exit=4",
      `  ${effect}`,
      "  console.log(await Effect.runPromise(Effect.succeed(\"one\")))",
      "  process.exitCode = 4",
      "  ```",
      "  Prints",
      "  ```text output",
      "  one",
      "  ```",
      "````md",
      "```ts",
      "shown, not compiled",
      "```",
      "````",
      "```sh run exit=3",
      "npm ci && echo \"two words\"; ls",
      "exit 3",
      "```",
      "```text output",
      "two words",
      "```",
      "```sh",
      "not run",
      "```"
    ])

    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout, "docs: 2 blocks compiled, 2 run, 0 tested, 0 failures\n")
    assert.strictEqual(code, 0)
  }, 150_000)

  it("fails with the line of everything that is wrong", async () => {
    const { code, page, stderr, stdout } = await checkPage([
      "```ts",
      "export const fine = 1",
      "export const wrong: string = fine",
      "```",
      "```ts run",
      "console.log(\"b\")",
      "```",
      "```text output",
      "a",
      "```",
      "```sh run",
      "echo why >&2; exit 2",
      "```",
      "```sh run",
      "printf 'a\\r\\n'",
      "```",
      "```text output",
      "a",
      "```",
      "```text output",
      "nothing prints this",
      "```",
      "```ts runs",
      "```",
      "```js",
      "```"
    ])

    const failures = stderr.split("\n").filter((line) => line.startsWith(page)).map((line) => line.slice(page.length))
    assert.deepStrictEqual(failures, [
      ":23: a ts block cannot be marked \"runs\"",
      ":25: write js as ts, so that it is compiled",
      ":20: an output block stands right after the block that prints it",
      ":3: error TS2322: Type 'number' is not assignable to type 'string'.",
      ":5: prints \"b\", not \"a\"",
      ":11: exit code 2, not 0",
      ":14: prints \"a\\r\", not \"a\""
    ])
    assert.include(stderr, "why")
    assert.include(stdout, "7 failures")
    assert.strictEqual(code, 1)
  }, 150_000)

  it("runs the tests of a page, and fails where one of them does", async () => {
    const block = (wanted: number) => [
      "```ts test",
      "import { assert, it } from \"@effect/vitest\"",
      `it("is ${wanted}", () => assert.strictEqual(1, ${wanted}))`,
      "```"
    ]
    const passed = await checkPage([...block(1)])
    assert.strictEqual(passed.stdout, "docs: 1 blocks compiled, 0 run, 1 tested, 0 failures\n")
    assert.strictEqual(passed.code, 0)

    const failed = await checkPage([...block(1), ...block(2)])
    assert.include(failed.stderr, "expected 1 to equal 2")
    assert.include(failed.stdout, "2 tested, 1 failures")
    assert.strictEqual(failed.code, 1)
  }, 150_000)

  it("fails when a page that was named does not exist", async () => {
    const { code } = await exec(process.execPath, [script, "no-such-page.md"], { cwd: tmpdir(), seconds: 60 })

    assert.strictEqual(code, 1)
  }, 90_000)
})
