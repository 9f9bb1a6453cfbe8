/**
 * Keeps the documentation true. Every `ts` block of README.md and docs/ (or of the files named as arguments) is compiled
 * against the built package; blocks marked `run` are run. Markers are words after the language of a fence:
 *
 *     ```ts                 compiled
 *     ```ts run exit=3      compiled, and run by Node; the exit code is 0 unless stated
 *     ```ts test            compiled, and run by Vitest
 *     ```sh run             run by sh in an empty folder, where `npx paneway` is this package; `npm ci &&` counts as done
 *     ```text output        exactly what the run block above it prints on stdout
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, relative, resolve } from "node:path"
import { exec, said } from "./exec.ts"

const root = resolve(import.meta.dirname, "..")
const runSeconds = 60

interface Block {
  /** The document, relative to the repository, and the line of the opening fence. */
  readonly file: string
  readonly line: number
  readonly language: string
  readonly run: boolean
  readonly test: boolean
  readonly output: boolean
  readonly exit: number
  readonly body: ReadonlyArray<string>
}

interface Run {
  readonly block: Block
  readonly expected: string | undefined
}

const failures: Array<string> = []
const fail = (file: string, line: number, message: string): void => {
  failures.push(`${file}:${line}: ${message}`)
}

const fence = /^( *)(`{3,}|~{3,})\s*(.*)$/
const words: Readonly<Record<string, RegExp>> = {
  ts: /^(?:run|test|exit=\d+)$/,
  sh: /^(?:run|exit=\d+)$/,
  text: /^output$/
}

const readBlocks = (file: string, text: string): ReadonlyArray<Block> => {
  const lines = text.split("\n")
  const found: Array<Block> = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", ticks, info = ""] = fence.exec(lines[at] ?? "") ?? []
    if (ticks === undefined) continue
    const line = at + 1
    const body: Array<string> = []
    for (at++; at < lines.length && !(lines[at] ?? "").trimStart().startsWith(ticks); at++) {
      body.push((lines[at] ?? "").startsWith(indent) ? (lines[at] ?? "").slice(indent.length) : (lines[at] ?? ""))
    }
    const [language = "", ...marks] = info.trim().split(/\s+/)
    const unknown = marks.find((mark) => !(words[language]?.test(mark) ?? false))
    if (unknown !== undefined) fail(file, line, `a ${language} block cannot be marked "${unknown}"`)
    if (/^(?:typescript|tsx|js|javascript|mjs)$/.test(language)) {
      fail(file, line, `write ${language} as ts, so that it is compiled`)
    }
    const exit = marks.find((mark) => mark.startsWith("exit="))
    found.push({
      file,
      line,
      language,
      run: marks.includes("run"),
      test: marks.includes("test"),
      output: marks.includes("output"),
      exit: Number(exit?.slice(5) ?? 0),
      body
    })
  }
  return found
}

/** Each run block with the output block that follows it; an output block that follows none is a failure. */
const pairRuns = (blocks: ReadonlyArray<Block>): ReadonlyArray<Run> =>
  blocks.flatMap((block, n): ReadonlyArray<Run> => {
    const next = blocks[n + 1]
    if (block.run) {
      const expected = next?.output === true && next.file === block.file ? next.body.join("\n") : undefined
      return [{ block, expected }]
    }
    const before = blocks[n - 1]
    if (block.output && !(before?.run === true && before.file === block.file)) {
      fail(block.file, block.line, "an output block stands right after the block that prints it")
    }
    return []
  })

const sourceName = ({ file, line, test }: Block): string =>
  `${file.replaceAll(/[^\w]/g, "-")}-${line}${test ? ".test" : ""}.ts`

const compile = async (folder: string, blocks: ReadonlyArray<Block>): Promise<void> => {
  if (blocks.length === 0) return
  // Blank lines in front give every line the number that it has in its document.
  for (const block of blocks) {
    await writeFile(join(folder, sourceName(block)), "\n".repeat(block.line) + block.body.join("\n") + "\n")
  }
  const settings = {
    extends: relative(folder, join(root, "tsconfig.json")),
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ["*.ts"]
  }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings))
  const tsc = join(root, "node_modules/.bin/tsc")
  const result = await exec(tsc, ["-p", folder, "--pretty", "false"], { cwd: folder, seconds: runSeconds * 2 })
  if (result.code === 0) return
  const before = failures.length
  for (const text of said(result).split("\n")) {
    const [, name, line, message = ""] = /^([\w.-]+\.ts)\((\d+),\d+\): (.*)$/.exec(text) ?? []
    const block = blocks.find((one) => sourceName(one) === name)
    if (block !== undefined) fail(block.file, Number(line), message)
  }
  if (failures.length === before) failures.push(`tsc did not succeed:\n${said(result)}`)
}

/** A newcomer's environment: nothing of the terminal around, a home of its own. */
const environment = (home: string): NodeJS.ProcessEnv => ({
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  HOME: home,
  XDG_RUNTIME_DIR: home,
  LANG: "C.UTF-8",
  SHELL: "/bin/sh",
  TERM: "xterm-256color",
  npm_config_update_notifier: "false"
})

const play = async (folder: string, home: string, { block, expected }: Run): Promise<void> => {
  const cwd = join(folder, `run-${sourceName(block).replace(/\.ts$/, "")}`)
  await mkdir(cwd)
  const options = { cwd, env: environment(home), seconds: runSeconds }
  const script = block.body.map((text) => text.replace(/^npm ci && /, "")).join("\n")
  const result = block.language === "ts"
    ? await exec(process.execPath, [join(folder, sourceName(block))], options)
    : await exec("sh", ["-c", script], options)
  const printed = result.stdout.replace(/\n$/, "")
  const wrong = result.timedOut
    ? `still running after ${runSeconds} s`
    : result.code !== block.exit
    ? `exit code ${result.code}, not ${block.exit}`
    : expected !== undefined && printed !== expected
    ? `prints ${JSON.stringify(printed)}, not ${JSON.stringify(expected)}`
    : undefined
  if (wrong !== undefined) fail(block.file, block.line, `${wrong}\n${said(result)}`)
}

/** Runs the tests among the blocks, in one go: a failure of Vitest names the block by its file. */
const runTests = async (folder: string, home: string, tests: ReadonlyArray<Block>): Promise<void> => {
  if (tests.length === 0) return
  const vitest = join(root, "node_modules/.bin/vitest")
  const options = { cwd: folder, env: { ...environment(home), NO_COLOR: "1" }, seconds: runSeconds * 2 }
  const result = await exec(vitest, ["run", "--root", folder], options)
  const passed = new RegExp(`Test Files\\s+${tests.length} passed`).test(result.stdout)
  if (result.code !== 0 || !passed) failures.push(`tests of the documents did not pass:\n${said(result)}`)
}

const documents = async (): Promise<ReadonlyArray<string>> => {
  const pages = await readdir(join(root, "docs"), { recursive: true })
  return ["README.md", ...pages.filter((page) => page.endsWith(".md")).map((page) => join("docs", page)).toSorted()]
}

const check = async (files: ReadonlyArray<string>, folder: string, home: string): Promise<void> => {
  const blocks: Array<Block> = []
  for (const file of files) blocks.push(...readBlocks(file, await readFile(resolve(root, file), "utf8")))
  const compiled = blocks.filter((block) => block.language === "ts")
  const runs = pairRuns(blocks)
  await compile(folder, compiled)
  for (const run of runs) await play(folder, home, run)
  const tests = blocks.filter(({ test }) => test)
  await runTests(folder, home, tests)
  for (const failure of failures) console.error(failure)
  console.log(
    `docs: ${compiled.length} blocks compiled, ${runs.length} run, ${tests.length} tested, ${failures.length} failures`
  )
}

const work = join(root, ".docs-check")
await mkdir(work, { recursive: true })
// Inside the repository, so that "paneway" is this package.
const folder = await mkdtemp(join(work, "run-"))
const home = await mkdtemp(join(tmpdir(), "paneway-docs-"))
try {
  const named = process.argv.slice(2)
  await check(named.length > 0 ? named : await documents(), folder, home)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
  await rm(home, { recursive: true, force: true })
}
