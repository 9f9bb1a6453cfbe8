/**
 * Holds the suite of the contract to its word: applies the deliberate breaks of test/mutants to a copy of the sources, one
 * by one, and demands that each one type-checks and turns the test red that it names. Without a break all of these tests
 * have to be green. Exits with 1 when a break survives, does not apply or does not type-check.
 *
 *     npm run mutants
 *     npm run mutants -- --only retry        those whose name holds the word
 *     npm run mutants -- --list              what there is, and whether it still applies
 *
 * A break is a file of this form. Blanks and line breaks need not be those of the source, and there are no line numbers,
 * so that it outlives edits around it. `@@` stands between two places of one file.
 *
 *     What is broken, in a line
 *     run: stepwise
 *     red: in-doubt: a write that may have written is never repeated (plain-pane)
 *     --- src/terminalRuntime/delivering.ts
 *      a line that stays
 *     -a line that goes
 *     +a line that comes
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { exec, said } from "./exec.ts"

const root = resolve(import.meta.dirname, "..")
const folder = join(root, "test/mutants")

/** The runs of the suite that a break can name: the file and the group of its tests. */
const runs: Readonly<Record<string, { readonly file: string; readonly group: string }>> = {
  guarded: {
    file: "test/testing/Scripted.contract.test.ts",
    group: "the contract on a scripted plain terminal that delivers in one call"
  },
  agents: {
    file: "test/testing/Scripted.contract.test.ts",
    group: "the contract on a scripted terminal of agents"
  },
  stepwise: {
    file: "test/testing/Scripted.contract.test.ts",
    group: "the contract on a scripted terminal that writes step by step, wakes nobody and counts no rows"
  },
  pty: { file: "test/testing/Pty.contract.integration.test.ts", group: "the contract on the embedded pty" },
  tmux: { file: "test/testing/Tmux.contract.integration.test.ts", group: "the contract on tmux by a control client" }
}

/** Time for what the suite expects to happen: a break that nobody answers is red after it. */
const patience = "2000"
const seconds = { check: 120, test: 120 }

interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

interface Mutant {
  readonly name: string
  readonly breaks: string
  readonly file: string
  /** The whole name of the test that has to turn red. */
  readonly red: string
  readonly changes: ReadonlyArray<Change>
}

class Wrong extends Error {}

const changesOf = (name: string, lines: ReadonlyArray<string>): ReadonlyArray<Change> => {
  const changes: Array<{ file: string; from: Array<string>; to: Array<string> }> = []
  let file = ""
  for (const line of lines) {
    if (line.startsWith("--- ")) file = line.slice(4).trim()
    if (line.startsWith("--- ") || line.startsWith("@@")) changes.push({ file, from: [], to: [] })
    else {
      const last = changes.at(-1)
      const text = line.slice(1)
      if (last === undefined || !/^[ +-]/.test(line)) throw new Wrong(`${name}: cannot read "${line}"`)
      if (!line.startsWith("+")) last.from.push(text)
      if (!line.startsWith("-")) last.to.push(text)
    }
  }
  if (changes.length === 0) throw new Wrong(`${name}: changes nothing`)
  return changes.map(({ file, from, to }) => ({ file, from: from.join("\n"), to: to.join("\n") }))
}

const read = (name: string): Mutant => {
  const [breaks = "", run = "", red = "", ...rest] = readFileSync(join(folder, `${name}.txt`), "utf8").trimEnd().split(
    "\n"
  )
  const known = run.startsWith("run: ") ? runs[run.slice(5)] : undefined
  if (known === undefined) {
    throw new Wrong(`${name}: its second line has to be "run: " and ${Object.keys(runs).join(", ")}`)
  }
  if (!red.startsWith("red: ")) throw new Wrong(`${name}: its third line has to be "red: " and the name of a test`)
  return { name, breaks, file: known.file, red: `${known.group} > ${red.slice(5)}`, changes: changesOf(name, rest) }
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

/** The text after the change. It has to apply in exactly one place. */
const applied = (name: string, source: string, { file, from, to }: Change): string => {
  const pattern = new RegExp(from.trim().split(/\s+/).map(escaped).join(String.raw`\s+`), "g")
  const places = [...source.matchAll(pattern)]
  const [place] = places
  if (place !== undefined && places.length === 1) {
    return source.slice(0, place.index) + to.trim() + source.slice(place.index + place[0].length)
  }
  const squeezed = source.replaceAll(/\s+/g, " ")
  const missing = from.split("\n").find((line) => !squeezed.includes(line.trim().replaceAll(/\s+/g, " ")))
  const why = places.length > 1
    ? `fits ${places.length} places`
    : missing === undefined
    ? "has its lines, but not one after the other"
    : `has no line ${missing.trim()}`
  throw new Wrong(`${name} does not apply: ${file} ${why}`)
}

const scratch = mkdtempSync(join(tmpdir(), "paneway-mutants-"))
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }))

const prepare = () => {
  const parts = ["src", "layers", "test/testing", "test/fixtures", "test/setup.ts", "tsconfig.json", "package.json"]
  for (const part of parts) {
    cpSync(join(root, part), join(scratch, part), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"))
  const files = [...new Set(Object.values(runs).map(({ file }) => file))]
  const compilerOptions = {
    incremental: true,
    tsBuildInfoFile: "mutants.tsbuildinfo",
    plugins: [{ name: "@effect/language-service", diagnostics: false }],
    noUnusedLocals: false,
    noUnusedParameters: false
  }
  writeFileSync(
    join(scratch, "tsconfig.mutants.json"),
    JSON.stringify({ extends: "./tsconfig.json", compilerOptions, files, include: [] })
  )
  const test = { include: files, setupFiles: ["./test/setup.ts"], maxWorkers: 1, teardownTimeout: 1000 }
  writeFileSync(join(scratch, "vitest.config.mjs"), `export default ${JSON.stringify({ test })}\n`)
}

/** What tsc says against it; undefined: nothing. */
const check = async (): Promise<string | undefined> => {
  const result = await exec(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.mutants.json", "--pretty", "false"], {
    cwd: scratch,
    seconds: seconds.check
  })
  return result.code === 0 ? undefined : said(result)
}

interface Reported {
  readonly testResults: ReadonlyArray<{
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
      readonly status: string
    }>
  }>
}

const isReported = (value: unknown): value is Reported =>
  typeof value === "object" && value !== null && "testResults" in value && Array.isArray(value.testResults)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The outcome of each of the tests, by name; what did not run has none. */
const test = async (file: string, names: ReadonlyArray<string>): Promise<ReadonlyMap<string, string>> => {
  const pattern = `^(?:${[...new Set(names)].map(escaped).join("|")})$`
  const report = join(scratch, "report.json")
  rmSync(report, { force: true })
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    file,
    "-t",
    pattern,
    "--reporter=json",
    `--outputFile=${report}`
  ]
  const result = await exec(process.execPath, args, {
    cwd: scratch,
    // no start-up files: shells of panes begin at once
    env: { ...process.env, PANEWAY_SUITE_PATIENCE: patience, SHELL: "/bin/sh", HOME: scratch },
    seconds: seconds.test + names.length
  })
  const told = parsed(readOr(report))
  if (!isReported(told)) throw new Wrong(`${file} told nothing: ${said(result)}`)
  const loading = told.testResults.find(({ assertionResults }) => assertionResults.length === 0)
  if (loading !== undefined) throw new Wrong(`${file} could not be loaded: ${loading.message ?? ""}`)
  const results = told.testResults.flatMap(({ assertionResults }) => assertionResults)
  return new Map(
    results.flatMap(({ ancestorTitles, status, title }) =>
      status === "skipped" ? [] : [[[...ancestorTitles, title].join(" > "), status]]
    )
  )
}

const readOr = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Without any break: everything type-checks, and every test that is named is there and green. */
const sound = async (mutants: ReadonlyArray<Mutant>): Promise<ReadonlyArray<string>> => {
  const errors = await check()
  const wrong: Array<string> = errors === undefined ? [] : [`the sources do not type-check:\n${errors}`]
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const names = mutants.filter((mutant) => mutant.file === file).map(({ red }) => red)
    const outcomes = await test(file, names)
    for (const name of new Set(names)) {
      const outcome = outcomes.get(name)
      if (outcome !== "passed") wrong.push(`${outcome ?? "there is no test of this name"}: ${name}`)
    }
  }
  return wrong
}

/** The files that a break changes, as they are and as it makes them. */
const brokenBy = ({ changes, name }: Mutant, from: string) => {
  const before = new Map(changes.map(({ file }) => [file, readFileSync(join(from, file), "utf8")]))
  const after = new Map(before)
  for (const change of changes) after.set(change.file, applied(name, after.get(change.file) ?? "", change))
  return { before, after }
}

/** Undefined when the break is caught, else why not. */
const tried = async (mutant: Mutant): Promise<string | undefined> => {
  const { file, red } = mutant
  const { after, before } = brokenBy(mutant, scratch)
  try {
    for (const [path, text] of after) writeFileSync(join(scratch, path), text)
    const [errors, outcomes] = await Promise.all([check(), test(file, [red])])
    if (errors !== undefined) return `does not type-check:\n${errors}`
    const outcome = outcomes.get(red)
    return outcome === "failed" ? undefined : `survives: ${outcome ?? "there is no test"} ${red}`
  } finally {
    for (const [path, text] of before) writeFileSync(join(scratch, path), text)
  }
}

const why = (error: unknown): string => {
  if (error instanceof Wrong) return error.message
  throw error
}

const unlessApplied = (mutant: Mutant): ReadonlyArray<string> => {
  try {
    brokenBy(mutant, root)
    return []
  } catch (error) {
    return [why(error)]
  }
}

const main = async (only: string | undefined, list: boolean): Promise<boolean> => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt"))
    .map((name) => name.slice(0, -4)).toSorted()
  const mutants = names.filter((name) => name.includes(only ?? "")).map(read)
  if (mutants.length === 0) throw new Wrong(`no break has ${only} in its name`)
  if (list) {
    const rotten = mutants.flatMap((mutant) => {
      console.log(`${mutant.name}: ${mutant.breaks}\n    ${mutant.red}`)
      return unlessApplied(mutant)
    })
    for (const line of rotten) console.error(line)
    return rotten.length === 0
  }
  prepare()
  const wrong = await sound(mutants)
  for (const line of wrong) console.error(line)
  if (wrong.length > 0) return false

  let caught = 0
  for (const mutant of mutants) {
    const begin = performance.now()
    const problem = await tried(mutant).catch(why)
    const time = `${((performance.now() - begin) / 1000).toFixed(1)} s`.padStart(6)
    if (problem === undefined) caught += 1
    console.log(`${problem === undefined ? "caught" : "WRONG "} ${time}  ${mutant.name}: ${problem ?? mutant.breaks}`)
  }
  console.log(`mutants: ${caught} of ${mutants.length} caught`)
  return caught === mutants.length
}

const { values } = parseArgs({ options: { only: { type: "string" }, list: { type: "boolean", default: false } } })
process.exitCode = await main(values.only, values.list).then((good) => good ? 0 : 1, (error) => {
  console.error(why(error))
  return 1
})
