import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as RuntimeConfig from "../src/RuntimeConfig.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Every project may choose programs, modules and servers. */
const trusting: Env = { PANEWAY_TRUST: "/*" }

const project = "work/app/.paneway/config.yml"
const user = "home/.config/paneway/config.yml"
const xdg = "xdg/paneway/config.yml"
const ace = "work/app/.ace/runtime/config.yml"
const homeAce = "home/.ace/runtime/config.yml"

/** A tree of files, and the config as seen from `cwd` in it. Paths are relative to the tree's root. */
const world = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const at = (file: string) => path.join(root, file)
  yield* fs.makeDirectory(at("work/app/src/deep"), { recursive: true })
  yield* fs.makeDirectory(at("home"))
  for (const [file, text] of Object.entries(files)) {
    yield* fs.makeDirectory(path.dirname(at(file)), { recursive: true })
    yield* fs.writeFileString(at(file), text)
  }
  const load = (options: { readonly cwd?: string; readonly env?: Env } = {}) =>
    RuntimeConfig.load({ cwd: at(options.cwd ?? "work/app/src/deep"), env: { HOME: at("home"), ...options.env } })
  return { at, load, fs }
})

const refusal = Effect.fnUntraced(function*(text: string, file = project) {
  const { at, load } = yield* world({ [file]: text })
  const { operation, field, reason, message } = yield* Effect.flip(load())
  assert.strictEqual(operation, "config")
  assert.include(reason, at(file))
  assert.include(message, field)
  return { field, expected: reason.replace(`in ${at(file)}: `, "") }
})

layer(NodeServices.layer)("RuntimeConfig.load", (it) => {
  it.effect("is empty where no file is", () =>
    Effect.gen(function*() {
      const { load } = yield* world({})

      const loaded = yield* load()

      assert.deepStrictEqual(loaded.files, [])
      assert.deepStrictEqual(loaded.sources, {})
      assert.isUndefined(loaded.config.runtime)
      assert.deepStrictEqual(loaded.config.timeouts, {})
    }))

  it.effect("reads every setting", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({
        [project]: `
runtime: tmux
prefer: [tmux, herdr]
session: work
size: {columns: 200, rows: 50}
scrollback: 5000
timeouts:
  native: 2s
  lock: 1m
  stall: 750ms
tmux:
  server: {name: lab}
  binary: tmux-next
  way: forked
pty:
  shell: /bin/zsh
host:
  idle: 30 seconds
env:
  allow: [NPM_TOKEN]
  deny: [PGPASSWORD]
layers:
  mine: ./adapters/Mine.js
remotes:
  lab: {url: "https://lab:7000", tokenFile: ~/lab.token}
`
      })

      const { config, files, sources } = yield* load({ env: trusting })

      assert.strictEqual(config.runtime, "tmux")
      assert.deepStrictEqual(config.prefer, ["tmux", "herdr"])
      assert.strictEqual(config.session, "work")
      assert.deepStrictEqual(config.size, { columns: 200, rows: 50 })
      assert.strictEqual(config.scrollback, 5000)
      assert.deepStrictEqual(
        [config.timeouts.native, config.timeouts.lock, config.timeouts.stall, config.host.idle].map((one) =>
          one && Duration.toMillis(one)
        ),
        [2000, 60_000, 750, 30_000]
      )
      assert.deepStrictEqual(config.tmux, { server: { name: "lab" }, binary: "tmux-next", way: "forked" })
      assert.deepStrictEqual(config.pty, { shell: "/bin/zsh" })
      assert.deepStrictEqual(config.env, { allow: ["NPM_TOKEN"], deny: ["PGPASSWORD"] })
      assert.deepStrictEqual(config.layers, { mine: at("work/app/.paneway/adapters/Mine.js") })
      assert.deepStrictEqual(config.remotes, { lab: { url: "https://lab:7000", tokenFile: at("home/lab.token") } })
      assert.deepStrictEqual(files, [{ path: at(project), kind: "project" }])
      assert.deepStrictEqual(new Set(Object.values(sources)), new Set([at(project)]))
      assert.includeMembers(Object.keys(sources), [
        "runtime",
        "timeouts.native",
        "tmux.server",
        "layers.mine",
        "remotes.lab"
      ])
    }))

  it.effect("makes paths absolute from the file's directory, and looks a bare program up on PATH", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({
        [user]: "tmux: {server: {path: sockets/tmux}, binary: ~/bin/tmux}\npty: {shell: ../zsh}\nlayers: {a: a.js}"
      })

      const { config } = yield* load()

      assert.deepStrictEqual(config.tmux, {
        server: { path: at("home/.config/paneway/sockets/tmux") },
        binary: at("home/bin/tmux")
      })
      assert.deepStrictEqual(config.pty, { shell: at("home/.config/zsh") })
      assert.deepStrictEqual(config.layers, { a: at("home/.config/paneway/a.js") })
    }))

  it.effect("accepts tmux.server: inherit", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [project]: "tmux: {server: inherit}" })

      assert.deepStrictEqual((yield* load()).config.tmux, { server: "inherit" })
    }))

  it.effect("reads a bare number as seconds", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [project]: "timeouts: {native: 5, lock: 0.5, stall: \"7\"}" })

      const { timeouts } = (yield* load()).config

      assert.deepStrictEqual(
        [timeouts.native, timeouts.lock, timeouts.stall].map((one) => one && Duration.toMillis(one)),
        [5000, 500, 7000]
      )
    }))

  it.effect("takes a file without content, and keys without values, as saying nothing", () =>
    Effect.gen(function*() {
      const { load } = yield* world({
        [project]: "# nothing yet\n",
        [user]: "runtime:\ntimeouts:\n  native:\npty: ~\n"
      })

      const { config, files, sources } = yield* load()

      assert.isUndefined(config.runtime)
      assert.deepStrictEqual(config.timeouts, {})
      assert.deepStrictEqual(config.pty, {})
      assert.strictEqual(files.length, 2)
      assert.deepStrictEqual(sources, {})
    }))

  it.effect("finds the nearest project file at or above the working directory, and only that one", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({
        "work/.paneway/config.yml": "session: far\nscrollback: 7",
        [project]: "session: near"
      })

      const deep = yield* load()
      const here = yield* load({ cwd: "work/app" })
      const above = yield* load({ cwd: "work" })

      assert.deepStrictEqual(deep.files, [{ path: at(project), kind: "project" }])
      assert.strictEqual(deep.config.session, "near")
      assert.isUndefined(deep.config.scrollback)
      assert.deepStrictEqual(here, deep)
      assert.strictEqual(above.config.session, "far")
    }))

  it.effect("looks further up where .paneway has no config", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [project]: "session: found", "work/app/src/.paneway/notes": "" })

      assert.strictEqual((yield* load()).config.session, "found")
    }))

  it.effect("takes a file in the place of a directory for no config", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ "work/app/.paneway": "", "work/.ace/runtime": "", "home/.config": "" })

      assert.deepStrictEqual((yield* load()).files, [])
    }))

  it.effect("merges setting by setting, the nearest file winning", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({
        [project]:
          "timeouts: {native: 1s}\nenv: {deny: [A]}\nlayers: {a: /near}\nremotes: {lab: {url: \"http://near\"}}",
        [user]: `
session: mine
timeouts: {native: 9s, lock: 9s}
env: {deny: [B, C], allow: [D]}
layers: {a: /far, b: /far}
remotes: {lab: {url: "http://far", tokenFile: /token}, other: {url: "http://other"}}
`
      })

      const { config, files, sources } = yield* load({ env: trusting })

      assert.strictEqual(config.session, "mine")
      assert.deepStrictEqual(
        [config.timeouts.native, config.timeouts.lock].map((one) => one && Duration.toSeconds(one)),
        [1, 9]
      )
      assert.deepStrictEqual(config.env, { deny: ["A"], allow: ["D"] })
      assert.deepStrictEqual(config.layers, { a: "/near", b: "/far" })
      assert.deepStrictEqual(files.map(({ kind }) => kind), ["project", "user"])
      assert.deepStrictEqual(sources, {
        session: at(user),
        "timeouts.native": at(project),
        "timeouts.lock": at(user),
        "env.deny": at(project),
        "env.allow": at(user),
        "layers.a": at(project),
        "layers.b": at(user),
        "remotes.lab": at(project),
        "remotes.other": at(user)
      })
    }))

  it.effect("does not send the token of one remote to the address of another file", () =>
    Effect.gen(function*() {
      const { load } = yield* world({
        [project]: "remotes: {lab: {url: \"http://elsewhere\"}}",
        [user]: "remotes: {lab: {url: \"http://lab\", tokenFile: /token}}"
      })

      assert.deepStrictEqual((yield* load({ env: trusting })).config.remotes, { lab: { url: "http://elsewhere" } })
    }))

  it.effect.each<{ name: string; files: ReadonlyArray<string>; env: Env; wins: string | undefined }>([
    { name: "the project first", files: [project, user, ace, homeAce], env: {}, wins: project },
    { name: "then the user's", files: [user, ace, homeAce], env: {}, wins: user },
    { name: "then the nearest of ACE", files: [ace, homeAce], env: {}, wins: ace },
    { name: "then ACE's in the home directory", files: [homeAce], env: {}, wins: homeAce },
    { name: "ACE's in the home directory also without a home config", files: [homeAce, xdg], env: {}, wins: homeAce },
    { name: "XDG_CONFIG_HOME instead of ~/.config", files: [user, xdg], env: { XDG_CONFIG_HOME: "xdg" }, wins: xdg },
    { name: "~/.config where XDG_CONFIG_HOME is blank", files: [user, xdg], env: { XDG_CONFIG_HOME: " " }, wins: user },
    { name: "no user's file without HOME", files: [user, homeAce], env: { HOME: undefined }, wins: undefined },
    { name: "XDG_CONFIG_HOME without HOME", files: [xdg], env: { HOME: "", XDG_CONFIG_HOME: "xdg" }, wins: xdg }
  ])("takes the runtime from: $name", ({ files, env, wins }) =>
    Effect.gen(function*() {
      const { at, load } = yield* world(Object.fromEntries(files.map((file) => [file, `runtime: ${file}`])))
      const dir = env["XDG_CONFIG_HOME"]

      const loaded = yield* load({ env: { ...env, ...(dir === "xdg" ? { XDG_CONFIG_HOME: at("xdg") } : {}) } })

      assert.strictEqual(loaded.config.runtime, wins)
      assert.strictEqual(loaded.sources["runtime"], wins === undefined ? undefined : at(wins))
    }))

  it.effect("ignores a relative XDG_CONFIG_HOME", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [user]: "session: mine" })

      assert.strictEqual((yield* load({ env: { XDG_CONFIG_HOME: "xdg" } })).config.session, "mine")
    }))

  it.effect("reads only the runtime of ACE's files", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({
        [user]: "session: mine",
        [ace]: "runtime:\nsession: theirs\ntimeouts: [not, ours]",
        [homeAce]: "runtime: herdr\nwhatever: 1"
      })

      const { config, files } = yield* load()

      assert.deepInclude(config, { runtime: "herdr", session: "mine" })
      assert.deepStrictEqual(files, [
        { path: at(user), kind: "user" },
        { path: at(ace), kind: "ace" },
        { path: at(homeAce), kind: "ace" }
      ])
    }))

  it.effect("reads ACE's file once where the nearest is that of the home directory", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [homeAce]: "other: 1" })

      assert.strictEqual((yield* load({ cwd: "home" })).files.length, 1)
    }))

  it.effect("does not open ACE's files where one of ours names the runtime", () =>
    Effect.gen(function*() {
      const { load } = yield* world({ [user]: "runtime: tmux", [ace]: "}{ not YAML" })

      assert.strictEqual((yield* load()).config.runtime, "tmux")
    }))

  it.effect.each<{ text: string; field: string; expected: string }>([
    { text: "runtme: tmux", field: "runtme", expected: "unknown key; expected runtime, prefer," },
    { text: "runtme:", field: "runtme", expected: "unknown key" },
    { text: "timeouts: {natve: 5s}", field: "timeouts.natve", expected: "unknown key; expected native, lock, stall" },
    { text: "timeouts: {natve: }", field: "timeouts.natve", expected: "unknown key" },
    { text: "remotes: {a: {url: \"http://a\", tls: true}}", field: "remotes.a.tls", expected: "unknown key" },
    { text: "tmux: {server: {name: a, path: b}}", field: "tmux.server.path", expected: "unknown key" },
    { text: "runtime: 5", field: "runtime", expected: "expected text" },
    { text: "runtime: \" \"", field: "runtime", expected: "not blank" },
    { text: "runtime: [tmux]", field: "runtime", expected: "expected text" },
    { text: "prefer: tmux", field: "prefer", expected: "expected a list of runtime names" },
    { text: "prefer: []", field: "prefer.0", expected: "expected at least one name" },
    { text: "prefer: [tmux, 3]", field: "prefer.1", expected: "expected text" },
    { text: "session: {a: 1}", field: "session", expected: "expected text" },
    { text: "size: {columns: 0}", field: "size.columns", expected: "between 1 and 65535" },
    { text: "size: {rows: 1.5}", field: "size.rows", expected: "a whole number" },
    { text: "size: 120x40", field: "size", expected: "expected a mapping with the keys columns, rows" },
    { text: "scrollback: -1", field: "scrollback", expected: "between 0 and" },
    { text: "scrollback: lots", field: "scrollback", expected: "a whole number" },
    { text: "timeouts: {native: soon}", field: "timeouts.native", expected: "expected a duration such as 500ms, 30s" },
    { text: "timeouts: {lock: -5}", field: "timeouts.lock", expected: "not negative" },
    { text: "timeouts: {lock: .nan}", field: "timeouts.lock", expected: "a duration" },
    { text: "timeouts: {stall: 5 parsecs}", field: "timeouts.stall", expected: "\"parsecs\" is not a unit" },
    { text: "timeouts: {stall: true}", field: "timeouts.stall", expected: "a duration" },
    { text: "timeouts: 5", field: "timeouts", expected: "a mapping with the keys native, lock, stall" },
    { text: "tmux: {server: mine}", field: "tmux.server", expected: "inherit, {name: NAME} or {path: PATH}" },
    { text: "tmux: {server: {name: 3}}", field: "tmux.server.name", expected: "expected text" },
    { text: "env: {allow: A}", field: "env.allow", expected: "expected a list" },
    { text: "layers: [a]", field: "layers", expected: "expected a mapping of names to paths" },
    { text: "layers: {a: }", field: "layers.a", expected: "expected text" },
    { text: "remotes: {a: }", field: "remotes.a", expected: "a mapping with the keys url, tokenFile" },
    { text: "remotes: {a: {}}", field: "remotes.a.url", expected: "expected a URL" },
    { text: "remotes: {a: {url: lab}}", field: "remotes.a.url", expected: "expected a URL such as" },
    { text: "remotes: {a: {url: \"http://u:hunter2@lab\"}}", field: "remotes.a.url", expected: "use tokenFile" },
    { text: "- tmux", field: "file", expected: "expected a mapping with the keys runtime," },
    { text: "tmux", field: "file", expected: "expected a mapping" },
    { text: "runtime: [tmux", field: "file", expected: "expected YAML: " },
    { text: "a: 1\na: 2", field: "file", expected: "Duplicate key 'a' at line 2" },
    { text: "__proto__: {runtime: x}", field: "__proto__", expected: "unknown key" }
  ])("refuses `$text`", ({ text, field, expected }) =>
    Effect.gen(function*() {
      const refused = yield* refusal(text)

      assert.strictEqual(refused.field, field)
      assert.include(refused.expected, expected)
      assert.notInclude(refused.expected, "hunter2")
    }))

  it.effect.each([
    { text: "runtime: [tmux]", field: "runtime" },
    { text: "- runtime", field: "file" },
    { text: "}{", field: "file" }
  ])("refuses `$text` in a file of ACE", ({ text, field }) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* refusal(text, homeAce)).field, field)
    }))

  it.effect("refuses a bad file of the user although the project's file is good", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({ [project]: "runtime: tmux", [user]: "runtme: tmux" })

      assert.include((yield* Effect.flip(load())).message, at(user))
    }))

  it.effect("refuses a directory in the place of the file", () =>
    Effect.gen(function*() {
      const { at, load, fs } = yield* world({})
      yield* fs.makeDirectory(at(project), { recursive: true })

      const failure = yield* Effect.flip(load())

      assert.deepInclude(failure, { _tag: "InvalidRequest", operation: "config", field: "file" })
      assert.include(failure.reason, `in ${at(project)}: expected a file, got a Directory`)
    }))

  it.effect("case 188: refuses a file that cannot be read, which is not an absent one", () =>
    Effect.gen(function*() {
      const { at, load, fs } = yield* world({ [project]: "runtime: tmux" })
      const denied = (method: string) => (file: string) =>
        Effect.fail(PlatformError.systemError({
          _tag: "PermissionDenied",
          module: "FileSystem",
          method,
          pathOrDescriptor: file
        }))

      for (const broken of [{ ...fs, readFileString: denied("readFile") }, { ...fs, stat: denied("stat") }]) {
        const failure = yield* Effect.flip(Effect.provideService(load(), FileSystem.FileSystem, broken))

        assert.deepInclude(failure, { _tag: "InvalidRequest", field: "file" })
        assert.match(failure.reason, /expected a file that can be read, got PermissionDenied/)
      }
      assert.include((yield* load()).files[0]?.path, at(project))
    }))

  it.effect("refuses a file that is too large to be a config", () =>
    Effect.gen(function*() {
      const refused = yield* refusal(`# ${"x".repeat(1024 * 1024)}`)

      assert.deepInclude(refused, { field: "file" })
      assert.match(refused.expected, /at most 1048576 bytes/)
    }))

  it.effect("shows nothing of a file's text that a terminal would obey", () =>
    Effect.gen(function*() {
      const refused = yield* refusal("\"a\\e[2J\": 1")

      assert.strictEqual(refused.field, "a\\u{1b}[2J")
    }))
})

layer(NodeServices.layer)("a project's file", (it) => {
  const risky: ReadonlyArray<readonly [string, string]> = [
    ["layers.mine", "layers: {mine: ./mine.js}"],
    ["remotes.lab", "remotes: {lab: {url: \"https://lab\"}}"],
    ["tmux.binary", "tmux: {binary: ./tmux}"],
    ["tmux.server", "tmux: {server: {path: ./socket}}"],
    ["pty.shell", "pty: {shell: ./shell}"],
    ["env.allow", "env: {allow: [\"*\"]}"],
    ["env.deny", "env: {deny: []}"]
  ]

  it.effect.each(risky)(
    "does not decide %s unless it is trusted, and the failure says how",
    ([field, text]) =>
      Effect.gen(function*() {
        const { at, load } = yield* world({ [project]: text, [user]: "session: mine" })

        const failure = yield* Effect.flip(load())

        assert.deepInclude(failure, { _tag: "InvalidRequest", operation: "config", field })
        assert.include(failure.reason, `in ${at(project)}:`)
        assert.include(failure.reason, `if you trust ${at("work/app")}, add it to the list trusted in ${at(user)}`)
        assert.include(failure.reason, "or set PANEWAY_TRUST to it")
        assert.lengthOf((yield* load({ env: { PANEWAY_TRUST: at("work/app") } })).files, 2)
      })
  )

  it.effect("may set what runs nothing", () =>
    Effect.gen(function*() {
      const { load } = yield* world({
        [project]:
          "runtime: tmux\nprefer: [tmux]\nsession: a\nscrollback: 9\ntmux: {server: {name: lab}}\nhost: {idle: 1s}"
      })

      assert.strictEqual((yield* load()).config.runtime, "tmux")
    }))

  it.effect("is trusted by the user's own list, with all below a directory where that says so", () =>
    Effect.gen(function*() {
      for (const listed of ["work/app", "work/*"]) {
        const { at, fs, load } = yield* world({ [project]: "pty: {shell: ./zsh}" })
        yield* fs.makeDirectory(at("home/.config/paneway"), { recursive: true })
        yield* fs.writeFileString(at(user), `trusted: [${at(listed)}]`)

        assert.strictEqual((yield* load()).config.pty.shell, at("work/app/.paneway/zsh"))
      }
    }))

  it.effect("is not trusted for its neighbour, for a name that begins alike, or for what is below it", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({ [project]: "pty: {shell: ./zsh}" })

      for (const other of ["work", "work/ap", "work/other", "work/app/src", "work/ap/*", "work/app/src/*", "home/*"]) {
        assert.deepInclude(yield* Effect.flip(load({ env: { PANEWAY_TRUST: at(other) } })), { field: "pty.shell" })
      }
      assert.strictEqual(
        (yield* load({ env: { PANEWAY_TRUST: `${at("home")}:${at("work")}/*` } })).config.pty.shell,
        at("work/app/.paneway/zsh")
      )
      assert.deepInclude(yield* Effect.flip(load({ env: { PANEWAY_TRUST: "work/app:." } })), { field: "pty.shell" })
    }))

  it.effect("is not trusted because a trusted directory has a link to it", () =>
    Effect.gen(function*() {
      const { at, fs, load } = yield* world({ [project]: "pty: {shell: ./zsh}" })
      yield* fs.makeDirectory(at("mine"))
      yield* fs.symlink(at("work/app"), at("mine/link"))

      const failure = yield* Effect.flip(load({ cwd: "mine/link", env: { PANEWAY_TRUST: at("mine/*") } }))

      assert.deepInclude(failure, { field: "pty.shell" })
      assert.include(failure.reason, `if you trust ${at("work/app")}`)
    }))

  it.effect("cannot trust itself", () =>
    Effect.gen(function*() {
      const { at, load } = yield* world({ [project]: "trusted: [..]\npty: {shell: ./zsh}" })

      assert.deepInclude(yield* Effect.flip(load()), { field: "trusted" })
      assert.deepInclude(yield* Effect.flip(load({ env: { PANEWAY_TRUST: at("work/*") } })), { field: "trusted" })
    }))
})

describe("RuntimeConfig.select", () => {
  const loaded = (runtime?: string): RuntimeConfig.Loaded => ({
    config: {
      size: {},
      timeouts: {},
      tmux: {},
      pty: {},
      host: {},
      env: {},
      layers: {},
      remotes: {},
      ...(runtime === undefined ? {} : { runtime })
    },
    files: [],
    sources: runtime === undefined ? {} : { runtime: "/work/.paneway/config.yml" }
  })
  const everything = { PANEWAY_RUNTIME: "kitty", ACE_RUNTIME: "herdr", TMUX: "/tmp/tmux,1,0" }

  it.effect.each<{
    name: string
    explicit?: string
    env: Env
    config?: string
    detection?: boolean
    expected: RuntimeConfig.Decision
  }>([
    {
      name: "the caller's word before everything",
      explicit: " wezterm ",
      env: everything,
      config: "zellij",
      expected: { runtime: "wezterm", reason: "explicit", evidence: [], named: true }
    },
    {
      name: "PANEWAY_RUNTIME before ACE_RUNTIME",
      env: everything,
      config: "zellij",
      expected: { runtime: "kitty", reason: "variable", evidence: ["PANEWAY_RUNTIME=kitty"], named: true }
    },
    {
      name: "ACE_RUNTIME before the config, also where PANEWAY_RUNTIME is blank",
      env: { ...everything, PANEWAY_RUNTIME: " " },
      config: "zellij",
      expected: { runtime: "herdr", reason: "variable", evidence: ["ACE_RUNTIME=herdr"], named: true }
    },
    {
      name: "the config before detection",
      env: { TMUX: everything.TMUX, ACE_RUNTIME: "" },
      config: "zellij",
      expected: { runtime: "zellij", reason: "config", evidence: ["/work/.paneway/config.yml: runtime"], named: true }
    },
    {
      name: "what the environment shows",
      env: { TMUX: everything.TMUX },
      expected: { runtime: "tmux", reason: "detected", evidence: ["TMUX=/tmp/tmux,1,0"], named: false }
    },
    {
      name: "pty where nothing is found",
      env: { PATH: "/usr/bin" },
      expected: { runtime: "pty", reason: "default", evidence: [], named: false }
    },
    {
      name: "pty where detection is off",
      env: { TMUX: everything.TMUX },
      detection: false,
      expected: { runtime: "pty", reason: "default", evidence: [], named: false }
    },
    {
      name: "a detected pty, which is not the default",
      env: { PANEWAY_PANE: "pty:p1~0123456789", PANEWAY_SOCKET: "/run/host.sock" },
      expected: {
        runtime: "pty",
        reason: "detected",
        evidence: ["PANEWAY_PANE=pty:p1~0123456789", "PANEWAY_SOCKET=/run/host.sock"],
        named: false
      }
    },
    {
      name: "a named runtime also where detection is off",
      env: { ACE_RUNTIME: "herdr" },
      detection: false,
      expected: { runtime: "herdr", reason: "variable", evidence: ["ACE_RUNTIME=herdr"], named: true }
    }
  ])("takes $name", ({ explicit, env, config, detection, expected }) =>
    Effect.gen(function*() {
      const decision = yield* RuntimeConfig.select({
        explicit,
        env,
        loaded: loaded(config),
        detection: detection ?? true
      })

      assert.deepStrictEqual(decision, expected)
    }))

  it.effect("refuses a blank name instead of choosing another runtime", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(
        RuntimeConfig.select({ explicit: " ", env: everything, loaded: loaded("zellij"), detection: true })
      )

      assert.deepInclude(failure, { _tag: "InvalidRequest", field: "runtime" })
    }))

  it.effect("takes the list of a config file where nothing is named, before it looks around", () =>
    Effect.gen(function*() {
      const base = loaded()
      const preferring: RuntimeConfig.Loaded = {
        ...base,
        config: { ...base.config, prefer: ["herdr", "pty"] },
        sources: { prefer: "/work/.paneway/config.yml" }
      }
      const choose = (env: Env) => RuntimeConfig.select({ env, loaded: preferring, detection: true })

      assert.deepStrictEqual(yield* choose({ TMUX: "/tmp/tmux,1,0" }), {
        runtime: "herdr",
        prefer: ["herdr", "pty"],
        reason: "preferred",
        evidence: ["/work/.paneway/config.yml: prefer"],
        named: false
      })
      assert.deepInclude(yield* choose({ PANEWAY_RUNTIME: "kitty" }), { runtime: "kitty", reason: "variable" })
    }))
})
