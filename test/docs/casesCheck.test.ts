import { assert, describe, it } from "@effect/vitest"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { exec, type Finished } from "../../scripts/exec.ts"

const script = resolve(import.meta.dirname, "../../scripts/cases-check.ts")
const check = (folder: string) => exec(process.execPath, [script, folder], { cwd: tmpdir(), seconds: 60 })

const checkOf = async (rows: ReadonlyArray<string>, tests: ReadonlyArray<string>): Promise<Finished> => {
  const folder = await mkdtemp(join(tmpdir(), "paneway-cases-"))
  try {
    await mkdir(join(folder, "docs"))
    await mkdir(join(folder, "test", "deep"), { recursive: true })
    await writeFile(join(folder, "docs", "cases.md"), ["| case | title | state |", "|---|---|---|", ...rows].join("\n"))
    await writeFile(join(folder, "test", "deep", "some.test.ts"), tests.join("\n"))
    await writeFile(join(folder, "test", "fixture.ts"), named("9: no test file"))
    return await check(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const named = (name: string, call = "it", prefix = "case ") => `${call}("${prefix}${name}", () => {})`
const row = (number: number | string, state: string, title = "a title") => `| ${number} | ${title} | ${state} |`

describe("docs:cases", () => {
  it("accepts rows that are tested and have a test, and rows that need something and have none", async () => {
    const { code, stderr, stdout } = await checkOf(
      [
        row(1, "tested"),
        row(2, "needs the host"),
        row(30, "tested"),
        row(4, "tested"),
        row(5, "tested"),
        row(6, "tested")
      ],
      [
        named("1: one"),
        named("30: it", "  it.effect"),
        named("30: twice", "it.live.each([1])"),
        named("4: on a line of its own").replace("(", "(\n  "),
        named("5, case 6: two at once"),
        named("in point", "it"),
        `  // ${named("2: not yet")}`
      ]
    )

    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout, "cases: 5 tested, 1 need something, 0 failures\n")
    assert.strictEqual(code, 0)
  })

  it("fails and names everything that is wrong", async () => {
    const { code, stderr, stdout } = await checkOf(
      [
        row(1, "tested"),
        row(2, "needs the host"),
        row(3, ""),
        row(4, "tested by hand"),
        row(5, "needs "),
        row(6, "tested", ""),
        row(6, "tested"),
        row("x", "tested"),
        row(8, "tested"),
        row(12, "tested")
      ],
      [
        named("2: there"),
        named("6: six"),
        named("7: unknown", "it.live"),
        named("8: later", "it.effect.skip"),
        named("s 1 and 2: two", "it", "case"),
        named("10 no colon", "it", "Case "),
        named("123: its number begins as another's")
      ]
    )

    const tests = "test/deep/some.test.ts"
    assert.deepStrictEqual(stderr.trim().split("\n").toSorted(), [
      "docs/cases.md:10: \"x\" is not the number of a case",
      "docs/cases.md:11: no test has a name that begins \"case 8: \"",
      "docs/cases.md:12: no test has a name that begins \"case 12: \"",
      "docs/cases.md:3: no test has a name that begins \"case 1: \"",
      `docs/cases.md:4: case 2 has a test: ${tests}:1`,
      "docs/cases.md:5: case 3 is neither \"tested\" nor \"needs\" something",
      "docs/cases.md:6: case 4 is neither \"tested\" nor \"needs\" something",
      "docs/cases.md:7: case 5 is neither \"tested\" nor \"needs\" something",
      "docs/cases.md:8: case 6 has no title",
      "docs/cases.md:9: case 6 has a row already",
      `${tests}:3: case 7 has no row in docs/cases.md`,
      `${tests}:4: the test of case 8 is skipped`,
      `${tests}:5: the name of a test begins with "case N: ", not as "cases 1 and 2: two"`,
      `${tests}:6: the name of a test begins with "case N: ", not as "Case 10 no colon"`,
      `${tests}:7: case 123 has no row in docs/cases.md`
    ])
    assert.include(stdout, "15 failures")
    assert.strictEqual(code, 1)
  })

  it("fails on a page without a table", async () => {
    const { code, stderr } = await checkOf([], [])

    assert.strictEqual(stderr, "docs/cases.md: has no table of cases\n")
    assert.strictEqual(code, 1)
  })

  it("finds a test that is taken away from a copy of this repository, and one that is added", async () => {
    const folder = await mkdtemp(join(tmpdir(), "paneway-cases-"))
    try {
      for (const part of ["docs", "test"]) {
        await cp(resolve(import.meta.dirname, "../..", part), join(folder, part), { recursive: true })
      }
      const before = await check(folder)
      await rm(join(folder, "test/send/filtering.test.ts"))
      const cases = await readFile(join(folder, "docs/cases.md"), "utf8")
      const [, needing = ""] = /^\| (\d+) .*\| needs /m.exec(cases) ?? []
      await writeFile(join(folder, "test/new.test.ts"), named(`${needing}: early`))
      const after = await check(folder)

      assert.deepStrictEqual([before.stderr, before.code], ["", 0])
      assert.match(after.stderr, /no test has a name that begins "case 19: "/)
      assert.include(after.stderr, `case ${needing} has a test: test/new.test.ts:1`)
      assert.deepStrictEqual([after.stderr.trim().split("\n").length, after.code], [3, 1])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
