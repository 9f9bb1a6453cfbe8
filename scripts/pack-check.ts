/**
 * Checks the package as its users get it: packs it, lints the tarball, installs it in an empty project without running
 * install scripts, and there compiles, imports and runs it on the oldest and the newest Node that it supports, and on one
 * that is too old. The example of an adapter is installed, built and held to the contract beside it. One line for each step; a failing step makes the exit code 1.
 */
import { access, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join, resolve } from "node:path"
import { exec, type Finished, said } from "./exec.ts"

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const root = resolve(import.meta.dirname, "..")
const tool = (name: string): string => join(root, "node_modules/.bin", name)
const supported = ["22.19.0", "24"]
const tooOld = "20"

const readJson = async <A>(path: string): Promise<A> => JSON.parse(await readFile(path, "utf8"))

const demand = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message)
}

const succeed = async (running: Promise<Finished>): Promise<Finished> => {
  const result = await running
  demand(result.code === 0, `exit code ${result.code}\n${said(result)}`)
  return result
}

const step = async <A>(name: string, body: () => Promise<A>): Promise<A> => {
  try {
    const value = await body()
    console.log(`ok    ${name}`)
    return value
  } catch (error) {
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
    throw error
  }
}

/** Runs a step on which no other one builds: its failure is reported and the next one runs. */
const check = (name: string, body: () => Promise<unknown>): Promise<unknown> => step(name, body).catch(() => undefined)

const isFile = (path: string): Promise<boolean> => access(path).then(() => true, () => false)

/** A Node of this version: one that is on PATH, or else the platform's package of it, kept for the next time. */
const findNode = async (version: string): Promise<string> => {
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  for (const node of [process.execPath, ...folders.map((folder) => join(folder, "node"))]) {
    if (!(await isFile(node))) continue
    const result = await exec(node, ["--version"], { cwd: root, seconds: 10 })
    if (`${result.stdout.trim()}.`.startsWith(`v${version}.`)) return node
  }
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
  const name = `${prefix}-${process.platform}-${process.arch}`
  const cache = join(root, "node_modules/.cache/paneway", `node-${version}`)
  const node = join(cache, "node_modules", name, "bin/node")
  if (!(await isFile(node))) {
    await mkdir(cache, { recursive: true })
    await writeFile(join(cache, "package.json"), "{}")
    await succeed(exec("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", `${name}@${version}`], {
      cwd: cache,
      seconds: 300
    }))
  }
  return node
}

interface Packed {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly mode: number }>
}

const checkFiles = ({ files }: Packed): void => {
  const paths = files.map((file) => file.path)
  for (const path of ["LICENSE", "README.md", "package.json", "dist/bin/paneway.mjs", "dist/src/index.d.ts"]) {
    demand(paths.includes(path), `${path} is missing`)
  }
  const bin = files.find((file) => file.path === "dist/bin/paneway.mjs")
  demand(bin !== undefined && (bin.mode & 0o111) !== 0, "dist/bin/paneway.mjs is not executable")
  for (const path of paths) {
    demand(/^(?:dist|src|layers)\/|^(?:LICENSE|README\.md|package\.json)$/.test(path), `${path} does not belong`)
    const source = /^dist\/((?:src|layers)\/.*)\.js$/.exec(path)?.[1]
    demand(source === undefined || paths.includes(`${source}.ts`), `${path} is left over from a source that is gone`)
  }
}

/** As somebody would paste it from docs/guide.md, and what it prints. */
const readFirstProgram = async (): Promise<{ readonly program: string; readonly output: string }> => {
  const guide = await readFile(join(root, "docs/guide.md"), "utf8")
  const [, program = "", output = ""] = /```ts run\n([^]*?)```\n+```text output\n([^]*?)```/.exec(guide) ?? []
  demand(program !== "" && output !== "", "docs/guide.md does not begin with a program and its output")
  return { program, output }
}

const checkConsumer = async (
  consumer: string,
  { tarball, manifest }: { readonly tarball: string; readonly manifest: Manifest }
): Promise<void> => {
  const subpaths = Object.keys(manifest.exports).filter((path) => !path.endsWith(".json")).map((path) =>
    path.replace(/^\./, "paneway")
  )

  await step("install in an empty project", async () => {
    const peers = Object.keys(manifest.peerDependencies).map((name) => `${name}@${manifest.devDependencies[name]}`)
    await mkdir(consumer)
    await writeFile(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    await succeed(exec("npm", ["install", ...flags, tarball, ...peers], { cwd: consumer, seconds: 300 }))
    const lock = await readFile(join(consumer, "package-lock.json"), "utf8")
    demand(!lock.includes("hasInstallScript"), "a dependency has an install script")
  })

  const firstProgram = await step("the guide has a first program", readFirstProgram)
  await check("its types and the guide's first program compile", async () => {
    const lines = subpaths.map((path, n) => `export * as s${n} from "${path}"`)
    const settings = {
      compilerOptions: {
        target: "ES2023",
        module: "NodeNext",
        lib: ["ES2023", "DOM"],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true
      },
      files: ["imports.ts", "first.ts"]
    }
    await writeFile(join(consumer, "imports.ts"), lines.join("\n"))
    await writeFile(join(consumer, "first.ts"), firstProgram.program)
    await writeFile(join(consumer, "tsconfig.json"), JSON.stringify(settings))
    await succeed(exec(tool("tsc"), ["-p", ".", "--pretty", "false"], { cwd: consumer, seconds: 120 }))
  })

  const home = join(consumer, "home")
  await mkdir(home)
  const paneway = join(consumer, "node_modules/.bin/paneway")
  const on = (node: string, file: string, ...args: ReadonlyArray<string>): Promise<Finished> =>
    exec(file, args, {
      cwd: consumer,
      env: {
        PATH: [dirname(node), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
        HOME: home,
        XDG_RUNTIME_DIR: home,
        LANG: "C.UTF-8",
        SHELL: "/bin/sh"
      },
      seconds: 60
    })

  await writeFile(
    join(consumer, "imports.js"),
    `for (const path of ${JSON.stringify(subpaths)}) {
  const names = Object.keys(await import(path))
  if (names.length === 0 || names.includes("default")) throw new Error(path + " exports " + names)
}
const manifest = await import("paneway/package.json", { with: { type: "json" } })
if (manifest.default.name !== "paneway") throw new Error("paneway/package.json")
`
  )

  for (const version of supported) {
    const node = await step(`Node ${version} is at hand`, () => findNode(version))
    await check(`Node ${version} imports ${subpaths.join(", ")}`, () => succeed(on(node, node, "imports.js")))
    await check(`Node ${version} runs the guide's first program`, async () => {
      const result = await succeed(on(node, node, "--disable-warning=ExperimentalWarning", "first.ts"))
      demand(result.stdout === firstProgram.output, said(result))
    })
    await check(`Node ${version} runs paneway --version`, async () => {
      const result = await succeed(on(node, paneway, "--version"))
      demand(result.stdout.includes(manifest.version), said(result))
    })
    await check(`Node ${version} runs a command in a terminal`, async () => {
      const result = await on(node, paneway, "run", "--", "sh", "-c", "echo hi; exit 3")
      demand(
        result.code === 3 && result.stdout === "hi\n" && result.stderr === "",
        `exit code ${result.code}, stdout ${JSON.stringify(result.stdout)}, stderr ${JSON.stringify(result.stderr)}`
      )
    })
  }

  const old = await step(`Node ${tooOld} is at hand`, () => findNode(tooOld))
  await check(`Node ${tooOld} is refused in one line`, async () => {
    const result = await on(old, paneway, "--version")
    demand(
      result.code !== 0 && result.stdout === "" && /^[^\n]*22\.19[^\n]*\n$/.test(result.stderr),
      `exit code ${result.code}, stdout ${JSON.stringify(result.stdout)}, stderr ${JSON.stringify(result.stderr)}`
    )
  })
}

/** As a third party would do it: nothing but the tarball, and what the example itself depends on. */
const checkExample = async (
  folder: string,
  { tarball, manifest }: { readonly tarball: string; readonly manifest: Manifest }
): Promise<void> => {
  const npm = (seconds: number, ...args: ReadonlyArray<string>): Promise<Finished> =>
    succeed(exec("npm", args, { cwd: folder, env: { ...process.env, XDG_CONFIG_HOME: folder }, seconds }))

  await step("install the example of an adapter", async () => {
    const left = new Set(["node_modules", "dist"])
    const filter = (path: string): boolean => !left.has(basename(path))
    await cp(join(root, "docs/examples/adapter"), folder, { recursive: true, filter })
    const { devDependencies } = await readJson<Manifest>(join(folder, "package.json"))
    const packages = Object.keys(devDependencies).map((name) => `${name}@${manifest.devDependencies[name]}`)
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--no-save"]
    await npm(300, "install", ...flags, tarball, ...packages)
  })
  await check("the example's types are right", () => npm(120, "run", "check"))
  await check("the example holds the contract", () => npm(180, "test"))
  await check("paneway finds the example", async () => {
    await npm(120, "run", "build")
    await mkdir(join(folder, "paneway"))
    await writeFile(join(folder, "paneway/config.yml"), `layers:\n  pipes: ${join(folder, "dist/index.js")}\n`)
    const result = await npm(60, "exec", "--", "paneway", "doctor")
    demand(result.stdout.includes("pipes: can be used"), said(result))
  })
}

const checkPackage = async (folder: string): Promise<void> => {
  const manifest = await readJson<Manifest>(join(root, "package.json"))

  await step("build", () => succeed(exec("npm", ["run", "build"], { cwd: root, seconds: 180 })))

  const tarball = await step("pack", async () => {
    const flags = ["--ignore-scripts", "--json", "--pack-destination", folder]
    const { stdout } = await succeed(exec("npm", ["pack", ...flags], { cwd: root, seconds: 60 }))
    const [packed]: ReadonlyArray<Packed> = JSON.parse(stdout)
    if (packed === undefined) throw new Error(`npm pack says ${stdout}`)
    checkFiles(packed)
    return join(folder, basename(packed.filename))
  })

  await check("publint", () => succeed(exec(tool("publint"), ["run", tarball, "--strict"], { cwd: root, seconds: 60 })))
  await check("attw", () => {
    const entries = Object.keys(manifest.exports).filter((path) => !path.endsWith(".json"))
    const args = [tarball, "--profile", "esm-only", "--no-emoji", "--entrypoints", ...entries]
    return succeed(exec(tool("attw"), args, { cwd: folder, seconds: 120 }))
  })

  await checkConsumer(join(folder, "consumer"), { tarball, manifest })
  await checkExample(join(folder, "example"), { tarball, manifest })
}

const folder = await mkdtemp(join(tmpdir(), "paneway-pack-"))
try {
  await checkPackage(folder)
} catch {
  console.log("stopped: the remaining steps need the one that failed")
} finally {
  await rm(folder, { recursive: true, force: true })
}
