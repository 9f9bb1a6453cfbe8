import { assert, describe, it } from "@effect/vitest"
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { exec } from "../../scripts/exec.ts"

const root = resolve(import.meta.dirname, "../..")

/** One file of each room, by the name that the table below uses. */
const rooms = {
  root: "src/Target.ts",
  private: "src/terminalRuntime/plan.ts",
  internal: "src/internal/text.ts",
  agent: "src/agent/Detector.ts",
  fleet: "src/fleet/Tick.ts",
  preset: "src/preset/Layout.ts",
  tdd: "src/tdd/Machine.ts",
  remote: "src/remote/Server.ts",
  rpcs: "src/remote/RuntimeRpcs.ts",
  cli: "src/cli/Output.ts",
  testing: "src/testing/RuntimeContract.ts",
  main: "src/main.ts",
  mainPart: "src/main/caller.ts",
  bin: "src/bin.ts",
  registry: "layers/Registry.ts",
  pty: "layers/Pty.ts",
  ptyPart: "layers/pty/host.ts",
  scripted: "layers/Scripted.ts",
  scriptedPart: "layers/scripted/grid.ts",
  tmux: "layers/Tmux.ts",
  tmuxPart: "layers/tmux/client.ts",
  remoteLayer: "layers/Remote.ts",
  remotePart: "layers/remote/connection.ts",
  hostPart: "layers/host/hosts.ts",
  exec: "layers/internal/exec.ts",
  locks: "layers/locks/file.ts",
  storage: "layers/storage/sqlite.ts"
} as const
type Room = keyof typeof rooms

const contract: ReadonlyArray<Room> = ["root", "private", "internal"]
const services: ReadonlyArray<Room> = ["agent", "fleet", "preset", "tdd"]
const surfaces: ReadonlyArray<Room> = ["remote", "rpcs"]
const composed: ReadonlyArray<Room> = [
  ...contract,
  ...services,
  ...surfaces,
  "cli",
  "main",
  "mainPart",
  "bin",
  "registry"
]

/** Which rooms a room may import: every other import between two rooms is a violation. */
const allowed: Readonly<Record<Room, ReadonlyArray<Room>>> = {
  root: contract,
  private: contract,
  internal: contract,
  agent: [...contract, "agent"],
  fleet: [...contract, "agent", "fleet"],
  preset: [...contract, "preset"],
  tdd: [...contract, "tdd"],
  remote: [...contract, ...services, ...surfaces],
  rpcs: [...contract, ...services, ...surfaces],
  cli: [...contract, ...services, ...surfaces, "cli"],
  testing: [...contract, "fleet", "testing"],
  main: composed,
  mainPart: composed,
  bin: ["main"],
  registry: [...contract, "pty", "scripted", "tmux", "remoteLayer", "hostPart", "registry", "exec", "locks", "storage"],
  pty: [...contract, "ptyPart", "exec", "locks"],
  ptyPart: [...contract, "ptyPart", "exec", "locks"],
  scripted: [...contract, "scriptedPart", "exec", "locks"],
  scriptedPart: [...contract, "scriptedPart", "exec", "locks"],
  tmux: [...contract, "tmuxPart", "exec", "locks"],
  tmuxPart: [...contract, "tmuxPart", "exec", "locks"],
  remoteLayer: [...contract, "rpcs", "remotePart", "exec", "locks"],
  remotePart: [...contract, "rpcs", "remotePart", "exec", "locks"],
  hostPart: [...contract, "rpcs", "pty", "remoteLayer", "hostPart", "exec", "locks"],
  exec: [...contract, "exec", "locks"],
  locks: [...contract, "exec", "locks"],
  storage: [...contract, "exec", "locks", "storage"]
}

const packages = [
  "effect/Effect",
  "effect",
  "node:module",
  "node:fs",
  "fs",
  "events",
  "@effect/platform-node/NodeServices",
  "@effect/platform-node",
  "@xterm/headless",
  "vitest",
  "@effect/vitest",
  "paneway",
  "paneway/layers/Pty"
] as const
type Package = (typeof packages)[number]

const outside = (room: Room): ReadonlyArray<Package> => {
  if (room === "bin") return ["node:module"]
  if (room === "main" || room === "mainPart") {
    return ["effect/Effect", "node:module", "node:fs", "@effect/platform-node/NodeServices"]
  }
  if (room === "testing") return ["effect/Effect", "vitest", "@effect/vitest"]
  if (rooms[room].startsWith("src/")) return ["effect/Effect"]
  return packages.filter((name) => !["effect", "@effect/platform-node"].includes(name) && !name.startsWith("paneway"))
}

interface Case {
  readonly path: string
  readonly from: Room
  readonly to: string
  readonly source: string
  readonly legal: boolean
}

const spelled = (from: string, to: string): string => {
  const path = relative(dirname(from), to)
  return path.startsWith(".") ? path : `./${path}`
}

const isRoom = (name: string): name is Room => name in rooms
const names = Object.keys(rooms).filter(isRoom)

/** A file beside the room's own, except where the rules name one file. */
const seat = (room: Room, n: number): string =>
  /^(?:src\/(?:main|bin)|layers\/[A-Z]\w+)\.ts$/.test(rooms[room])
    ? rooms[room]
    : rooms[room].replace(/\w+\.ts$/, `case${n}.ts`)

const cases: ReadonlyArray<Case> = names.flatMap((from) => [
  ...names.filter((to) => rooms[to] !== rooms[from]).map((to) => ({
    from,
    to,
    source: spelled(rooms[from], rooms[to]),
    legal: allowed[from].includes(to)
  })),
  ...packages.map((to) => ({ from, to, source: to, legal: outside(from).includes(to) }))
]).map((one, n) => ({ ...one, path: seat(one.from, n) }))

type Statement = (source: string, line: number) => string

const lint = async (statement: Statement, rule = "no-restricted-imports"): Promise<ReadonlySet<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "paneway-rooms-"))
  try {
    const files = new Map(cases.map(({ path }) => [path, cases.filter((one) => one.path === path)]))
    await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
    for (const [path, inside] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), inside.map((one, n) => statement(one.source, n)).join("\n"))
    }
    const oxlint = join(root, "node_modules/.bin/oxlint")
    const result = await exec(oxlint, ["--format", "unix"], { cwd: folder, seconds: 60 })
    const lines = result.stdout.split("\n").filter((line) => line.includes(rule))
    return new Set(lines.flatMap((line) => {
      const match = /^([^:]+):(\d+):/.exec(line)
      const hit = match === null ? undefined : files.get(match[1] ?? "")?.[Number(match[2]) - 1]
      return hit === undefined ? [`unreadable: ${line}`] : [`${hit.from} -> ${hit.to}`]
    }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const forms: Readonly<Record<string, Statement>> = {
  "an import": (source, line) => `import * as _${line} from "${source}"`,
  "a re-export": (source) => `export * from "${source}"`,
  "a lazy import": (source) => `void import("${source}")`
}

describe("room rules", () => {
  for (const [form, statement] of Object.entries(forms)) {
    it(`flag exactly the imports that the table forbids, written as ${form}`, async () => {
      const expected = cases.filter((one) => !one.legal).map((one) => `${one.from} -> ${one.to}`)

      const flagged = await lint(statement)

      assert.deepStrictEqual([...flagged].toSorted(), expected.toSorted())
    }, 60_000)
  }

  it("flag what the platform puts into the global scope, except in the composition root", async () => {
    const flagged = await lint(() => "void process.pid", "no-restricted-globals")

    assert.deepStrictEqual(
      new Set([...flagged].map((one) => one.split(" ")[0])),
      new Set(names.filter((name) => rooms[name].startsWith("src/") && !["main", "mainPart", "bin"].includes(name)))
    )
  }, 60_000)
})
