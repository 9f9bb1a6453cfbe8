import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Adapters from "../fixtures/adapters.ts"
import { bin, paneway } from "../fixtures/cli.ts"

const user = "xdg/paneway/config.yml"

/** A user with these files, who works in `work`. */
const world = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const root = yield* Adapters.tree({ "work/notes.txt": "", ...files })
  const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      paneway(args, { cwd: join(root, "work"), env: { HOME: root, XDG_CONFIG_HOME: join(root, "xdg"), ...env } }),
      ({ code, stderr, stdout }) => ({ code, stderr, stdout: stdout.toString() })
    )
  return { root, at: (path: string) => join(root, path), run }
})

describe.concurrent("the runtime of a third party", () => {
  it.live("that the user's config file names can be used, detected and examined", () =>
    Effect.gen(function*() {
      const { at, run } = yield* world({
        "xdg/paneway/adapter.mjs": Adapters.good,
        [user]: "layers: {memory: adapter.mjs}\n"
      })
      const module = at("xdg/paneway/adapter.mjs")

      const context = yield* run(["context", "--runtime", "memory"])
      const detect = yield* run(["detect", "--runtime", "memory"])
      const json = yield* run(["detect", "--json"])
      const doctor = yield* run(["doctor", "--runtime", "memory"])
      const all = yield* run(["doctor", "--json"])

      assert.deepStrictEqual(context, { code: 0, stderr: "", stdout: "not in a pane of memory\n" })
      assert.strictEqual(detect.stdout, `memory: named by --runtime\nmemory: of a third party, ${module}\n`)
      assert.deepInclude(JSON.parse(json.stdout), { runtime: "pty", thirdParty: { memory: module } })
      assert.strictEqual(
        doctor.stdout,
        `memory: can be used\n  its adapter is the module ${module}\n  it is in memory\n`
      )
      assert.deepStrictEqual(
        JSON.parse(all.stdout).runtimes.map((one: { readonly runtime: string }) => one.runtime),
        ["memory", "pty", "tmux"]
      )
    }))

  it.live("that is broken fails with what is wrong, for the command and for doctor", () =>
    Effect.gen(function*() {
      for (const [what, text, reason, said] of Adapters.broken.slice(0, 5)) {
        const { run } = yield* world({
          "xdg/paneway/adapter.mjs": text,
          [user]: "layers: {memory: adapter.mjs}\n"
        })

        const used = yield* run(["context", "--runtime", "memory", "--json"])

        assert.deepStrictEqual([used.code, used.stdout], [3, ""], what)
        assert.deepInclude(JSON.parse(used.stderr), { _tag: "RuntimeUnavailable", reason }, what)
        assert.include(JSON.parse(used.stderr).message, said)
      }
      const { run } = yield* world({
        "xdg/paneway/adapter.mjs": "throw new Error(\"no luck\")",
        [user]: "layers: {memory: adapter.mjs}\n"
      })
      const doctor = yield* run(["doctor", "--runtime", "memory"])
      assert.strictEqual(doctor.code, 3)
      assert.match(
        doctor.stdout,
        /^memory: cannot be used\n[^]*to do: its adapter, the module .*cannot be loaded: no luck\n$/
      )
    }), 60_000)

  it.live("that a project names does not run before the user trusts the project", () =>
    Effect.gen(function*() {
      const { at, root, run } = yield* world({
        "work/.paneway/adapter.mjs": Adapters.good,
        "work/.paneway/config.yml": "runtime: memory\nlayers: {memory: ./adapter.mjs}\n"
      })

      for (const command of [["context"], ["detect"], ["doctor"], ["run", "--", "true"]]) {
        const { code, stderr, stdout } = yield* run(command)
        assert.deepStrictEqual([code, stdout], [2, ""], command[0])
        assert.include(stderr, "layers.memory")
        assert.include(stderr, "set PANEWAY_TRUST to it")
      }
      assert.strictEqual((yield* run(["context"], { PANEWAY_TRUST: `${root}/*` })).stdout, "not in a pane of memory\n")
      mkdirSync(dirname(at(user)), { recursive: true })
      writeFileSync(at(user), "trusted: [~/work]\n")
      assert.strictEqual((yield* run(["context"])).stdout, "not in a pane of memory\n")
    }))

  it.live("that is a package beside Paneway is found by its name, and one in the working directory is not", () =>
    Effect.gen(function*() {
      const manifest = (name: string) =>
        JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js" })
      const root = yield* Adapters.tree({
        "lib/node_modules/paneway/package.json": JSON.stringify({ name: "paneway", version: "0.0.0", type: "module" }),
        "lib/node_modules/paneway-layer-memory/package.json": manifest("paneway-layer-memory"),
        "lib/node_modules/paneway-layer-memory/index.js": Adapters.good,
        "lib/node_modules/paneway-layer-broken/package.json": manifest("paneway-layer-broken"),
        "lib/node_modules/paneway-layer-broken/index.js": "export const nothing = 1",
        "work/node_modules/paneway-layer-near/package.json": manifest("paneway-layer-near"),
        "work/node_modules/paneway-layer-near/index.js": Adapters.good
      })
      const place = join(root, "lib/node_modules/paneway/dist/bin")
      cpSync(dirname(bin), place, { recursive: true })
      symlinkSync(resolve("node_modules/@lydell"), join(root, "lib/node_modules/@lydell"))
      const run = (...args: ReadonlyArray<string>) =>
        spawnSync(process.execPath, [join(place, "paneway.mjs"), ...args], {
          cwd: join(root, "work"),
          env: { PATH: process.env["PATH"], HOME: root },
          encoding: "utf8",
          // no test hangs for ever; Node itself did once, where it ends its own threads at exit
          timeout: 15_000,
          killSignal: "SIGKILL"
        })

      assert.strictEqual(run("context", "--runtime", "memory").stdout, "not in a pane of memory\n")
      assert.deepInclude(JSON.parse(run("detect", "--json").stdout), {
        thirdParty: { memory: "paneway-layer-memory", broken: "paneway-layer-broken" }
      })
      assert.match(
        run("context", "--runtime", "broken").stderr,
        /its adapter, the package paneway-layer-broken, has no entry/
      )
      assert.match(
        run("context", "--runtime", "near").stderr,
        /^paneway: unknown runtime near \(choose one of: broken, memory, pty, tmux\)\n$/
      )
      const doctor = run("doctor")
      assert.strictEqual(doctor.status, 0, "what is not used may be broken")
      assert.match(doctor.stdout, /^broken: cannot be used\n[^]*\nmemory: can be used\n[^]*\npty: can be used\n/)
    }))
})

describe.concurrent("prefer in a config file", () => {
  it.live("uses the first that can be, and tells what it passed over and why", () =>
    Effect.gen(function*() {
      const { run } = yield* world({
        "xdg/paneway/adapter.mjs": "throw new Error(\"no luck\")",
        [user]: "layers: {memory: adapter.mjs}\nprefer: [memory, tmux-of-tomorrow, pty]\n"
      })

      const told = yield* run(["run", "--", "echo", "hello"])
      const json = yield* run(["context", "--json"])
      const named = yield* run(["context", "--runtime", "memory"])
      const detect = yield* run(["detect"])

      assert.deepStrictEqual([told.code, told.stdout], [0, "hello\n"])
      assert.match(
        told.stderr,
        /^paneway: pty is the next choice: memory is unavailable: [^\n]*no luck[^\n]*; unknown runtime tmux-of-tomorrow[^\n]*\n$/
      )
      assert.deepInclude(JSON.parse(json.stderr), {
        _tag: "Preferred",
        runtime: "pty",
        passed: ["memory", "tmux-of-tomorrow"]
      })
      assert.deepInclude(JSON.parse(json.stdout), { runtime: "pty" })
      assert.strictEqual(named.code, 3)
      assert.match(
        detect.stdout,
        /^memory: the first choice of a config file[^\n]*\n {2}[^\n]*config\.yml: prefer\ntmux-of-tomorrow: a next choice\npty: a next choice\n/
      )
    }))

  it.live("says nothing where the first can be used, and fails where none can", () =>
    Effect.gen(function*() {
      const first = yield* world({ [user]: "prefer: [pty, nope]\n" })
      assert.deepStrictEqual(yield* first.run(["run", "--", "echo", "hello"]), {
        code: 0,
        stdout: "hello\n",
        stderr: ""
      })

      const none = yield* world({ [user]: "prefer: [nope, neither]\n" })
      const { code, stderr } = yield* none.run(["run", "--", "echo", "hello"])
      assert.strictEqual(code, 3)
      assert.include(stderr, "unknown runtime nope, neither")
    }))
})
