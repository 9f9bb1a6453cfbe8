/**
 * Keeps docs/cases.md true: compares its table with the names of all tests, of which those that begin with `case N: `,
 * or `case N, case M: `, hold these cases. An argument names another repository.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(process.argv[2] ?? join(import.meta.dirname, ".."))
const page = "docs/cases.md"

const failures: Array<string> = []

interface Row {
  readonly at: string
  readonly number: number
  readonly state: "tested" | "needs" | "neither"
}

const rows: ReadonlyArray<Row> = readFileSync(join(root, page), "utf8").split("\n").flatMap((text, index) => {
  const [, cell, title = "", told = ""] = text.split("|").map((part) => part.trim())
  if (cell === undefined || cell === "case" || /^:?-+:?$/.test(cell)) return []
  const at = `${page}:${index + 1}`
  if (!/^\d+$/.test(cell)) {
    failures.push(`${at}: "${cell}" is not the number of a case`)
    return []
  }
  if (title === "") failures.push(`${at}: case ${cell} has no title`)
  const state = told === "tested" ? "tested" : /^needs \S/.test(told) ? "needs" : "neither"
  return [{ at, number: Number(cell), state }]
})

interface Test {
  readonly at: string
  readonly number: number
}

/** What names a test: `it`, its forms, and the second call of those that take a table first. */
const named = /(\bit\b[\w.]*|\))\(\s*["'`](cases?[ \t]*\d[^"'`\n]*)/gi
const comment = /^[ \t]*(?:\/\/|\/?\*).*$/gm

const testsOf = (file: string): ReadonlyArray<Test> => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(comment, "")
  return [...text.matchAll(named)].flatMap((match): ReadonlyArray<Test> => {
    const [, call = "", name = ""] = match
    const at = `${file}:${text.slice(0, match.index).split("\n").length}`
    const [, numbers] = /^((?:case \d+, )*case \d+): \S/.exec(name) ?? []
    if (numbers === undefined) failures.push(`${at}: the name of a test begins with "case N: ", not as "${name}"`)
    else if (/\.(?:skip|todo)$/.test(call)) failures.push(`${at}: the test of ${numbers} is skipped`)
    else return numbers.split(", ").map((one) => ({ at, number: Number(one.slice("case ".length)) }))
    return []
  })
}

const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .toSorted()
  .flatMap((file) => testsOf(join("test", file)))

if (rows.length === 0) failures.push(`${page}: has no table of cases`)
const known = new Set<number>()
for (const { at, number, state } of rows) {
  const test = tests.find((one) => one.number === number)
  if (known.has(number)) failures.push(`${at}: case ${number} has a row already`)
  known.add(number)
  if (state === "neither") failures.push(`${at}: case ${number} is neither "tested" nor "needs" something`)
  if (state === "tested" && test === undefined) {
    failures.push(`${at}: no test has a name that begins "case ${number}: "`)
  }
  if (state === "needs" && test !== undefined) failures.push(`${at}: case ${number} has a test: ${test.at}`)
}
for (const { at, number } of tests) {
  if (!known.has(number)) failures.push(`${at}: case ${number} has no row in ${page}`)
}

for (const failure of failures) console.error(failure)
const tested = rows.filter(({ state }) => state === "tested").length
const waiting = rows.filter(({ state }) => state === "needs").length
console.log(`cases: ${tested} tested, ${waiting} need something, ${failures.length} failures`)
process.exitCode = failures.length === 0 ? 0 : 1
