import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly engines: Readonly<Record<string, string>>
}

interface Locked {
  readonly resolved?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

const manifest: Manifest = JSON.parse(read("package.json"))
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(read("package-lock.json"))

const publicModules = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder)).filter((name) => /^[A-Z]\w*\.ts$/.test(name)).map((name) => name.replace(/\.ts$/, ""))

describe("package.json", () => {
  it("exports one built module for each public one, by name", () => {
    const layers = publicModules("layers").filter((name) => name !== "Registry").map((name) => `layers/${name}`)
    const rooms = readdirSync(join(root, "src")).filter((name) => existsSync(join(root, "src", name, "index.ts")))
    const expected = {
      ".": "./dist/src/index.js",
      "./package.json": "./package.json",
      ...Object.fromEntries(rooms.map((name) => [`./${name}`, `./dist/src/${name}/index.js`])),
      ...Object.fromEntries(layers.map((name) => [`./${name}`, `./dist/${name}.js`]))
    }

    assert.deepStrictEqual(manifest.exports, expected)
  })

  it("shares effect with the program and states the oldest Node that it supports", () => {
    assert.strictEqual(manifest.peerDependencies["effect"], "^4.1.0")
    assert.notProperty(manifest.dependencies, "effect")
    assert.strictEqual(manifest.engines["node"], ">=22.19")
  })

  it("pins what it is built around to one version", () => {
    for (const name of ["@lydell/node-pty", "@xterm/headless", "@effect/platform-node"]) {
      assert.match(manifest.dependencies[name] ?? "", /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
    }
  })

  it("asks for the test kit's runner only optionally", () => {
    for (const name of Object.keys(manifest.peerDependencies).filter((peer) => peer !== "effect")) {
      assert.include(["vitest", "@effect/vitest"], name)
      assert.isTrue(manifest.peerDependenciesMeta?.[name]?.optional, name)
    }
  })
})

describe("package-lock.json", () => {
  it("names no registry and gives users no install script to run", () => {
    for (const [path, entry] of Object.entries(lock.packages)) {
      assert.notProperty(entry, "resolved", path)
      assert.isFalse(entry.hasInstallScript === true && entry.dev !== true, path)
    }
  })
})

describe("src/index.ts", () => {
  it("exports the root modules as namespaces and nothing else", () => {
    const statements = read("src/index.ts").split("\n").filter((line) => /^\s*(?:export|import)\b/.test(line))

    assert.deepStrictEqual(
      statements.toSorted(),
      publicModules("src").map((name) => `export * as ${name} from "./${name}.ts"`).toSorted()
    )
  })
})
