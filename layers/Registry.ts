/**
 * The runtimes that come with Paneway, by name, and where those of third parties are found. An adapter is loaded when it
 * is first asked for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readdirSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as RuntimeConfig from "../src/RuntimeConfig.ts"
import { RuntimeUnavailable } from "../src/RuntimeError.ts"
import type { Entry, Finder } from "../src/RuntimeRegistry.ts"
import type { Options as HostOptions, Report as HostReport } from "./host/hosts.ts"
import * as ThirdParty from "./internal/thirdParty.ts"

const loading = <A>(runtime: string, load: () => Promise<A>): Effect.Effect<A, RuntimeUnavailable> =>
  Effect.tryPromise({
    try: load,
    catch: (cause) =>
      new RuntimeUnavailable({
        runtime,
        reason: "missing-program",
        detail: "its adapter could not be loaded: reinstall Paneway with its dependencies",
        cause
      })
  })

const pty: Entry = {
  load: Effect.gen(function*() {
    const { env, pty: { shell }, scrollback, session, size, timeouts: { lock, stall } } = yield* RuntimeConfig.Current
    const { columns = 120, rows = 40 } = size
    const { layer } = yield* loading("pty", () => import("./Pty.ts"))
    return layer({ size: { columns, rows }, scrollback, session, shell, stall, lock, inherit: env })
  }),
  examine: Effect.flatMap(loading("pty", () => import("./Pty.ts")), ({ examine }) => examine).pipe(
    Effect.catch(({ detail }) => Effect.succeed({ usable: false, facts: ["its adapter is missing"], advice: [detail] }))
  )
}

/** What config files say of it. */
const tmuxOptions = Effect.map(RuntimeConfig.Current, ({ env, session, size, timeouts: { lock, native }, tmux }) => {
  const { columns = 120, rows = 40 } = size
  return {
    session,
    size: { columns, rows },
    lock,
    deadline: native,
    inherit: env,
    server: tmux.server,
    binary: tmux.binary,
    way: tmux.way
  }
})

const tmuxEntry = (attach: "question" | "pane" | "wait"): Entry => ({
  load: Effect.gen(function*() {
    const options = yield* tmuxOptions
    const { layer } = yield* loading("tmux", () => import("./Tmux.ts"))
    return layer({ ...options, attach })
  }),
  examine: Effect.gen(function*() {
    const options = yield* tmuxOptions
    const { examine } = yield* loading("tmux", () => import("./Tmux.ts"))
    return yield* examine(options)
  }).pipe(
    Effect.catch(({ detail }) => Effect.succeed({ usable: false, facts: ["its adapter is missing"], advice: [detail] }))
  )
})

/**
 * Each is made with the settings of `RuntimeConfig.Current`.
 *
 * @category models
 * @since 0.1.0
 */
export const builtIn: ReadonlyMap<string, Entry> = new Map([["pty", pty], ["tmux", tmuxEntry("question")]])

/**
 * @category models
 * @since 0.1.0
 */
export type { Ensured, Options as HostOptions, Stopped } from "./host/hosts.ts"

/**
 * The host: the process that keeps the panes of the command line. Loaded when it is asked for.
 *
 * @category models
 * @since 0.1.0
 */
export const host = (options: HostOptions) => {
  const hosts = Effect.map(loading("pty", () => import("./host/hosts.ts")), ({ make }) => make(options))
  const entry: Entry = { ...pty, load: Effect.map(hosts, ({ layer }) => layer) }
  return {
    /** The built-in runtimes for a command that ends soon, with the panes of the host in place of those of this process. */
    entries: new Map([...builtIn, ["pty", entry], ["tmux", tmuxEntry("wait")]]) satisfies ReadonlyMap<string, Entry>,
    /** The same for a command that waits for the end of its pane, with panes of this process. */
    inProcess: new Map([...builtIn, ["tmux", tmuxEntry("pane")]]) satisfies ReadonlyMap<string, Entry>,
    ensure: Effect.flatMap(hosts, ({ ensure }) => ensure),
    status: Effect.flatMap(hosts, ({ status }) => status),
    stop: (force: boolean) => Effect.flatMap(hosts, ({ stop }) => stop(force)),
    report: (report: HostReport) => Effect.flatMap(hosts, (host) => host.report(report))
  }
}

/**
 * What a process needs to be the host.
 *
 * @category models
 * @since 0.1.0
 */
export const serving = loading("pty", () => import("./host/serving.ts"))

/** Of packages that hold the adapter of a runtime; the rest of the name is the runtime's. */
const prefix = "paneway-layer-"

const upwards = (directory: string): ReadonlyArray<string> => {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...upwards(parent)]
}

/** Where Node finds packages for this module: beside Paneway, not where the caller works. */
const places = (): ReadonlyArray<string> =>
  upwards(dirname(fileURLToPath(import.meta.url))).map((directory) =>
    basename(directory) === "node_modules" ? directory : join(directory, "node_modules")
  )

const namesIn = (place: string): ReadonlyArray<string> => {
  try {
    return readdirSync(place).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}

const packageOf = (name: string): string | undefined => {
  try {
    return findPackageJSON(`${prefix}${name}`, import.meta.url)
  } catch {
    return undefined
  }
}

/**
 * The module that a config file names for a runtime, and packages `paneway-layer-NAME` that are installed beside Paneway.
 *
 * @category models
 * @since 0.1.0
 */
export const thirdParty: Finder = {
  configured: (name) =>
    Effect.map(RuntimeConfig.Current, ({ layers }) =>
      Object.hasOwn(layers, name) && layers[name] !== undefined
        ? Option.some(ThirdParty.entry({
          runtime: name,
          place: `the module ${layers[name]}`,
          specifier: pathToFileURL(layers[name]).href
        }))
        : Option.none()),
  installed: (name) =>
    Effect.sync(() =>
      ThirdParty.isName(name) && packageOf(name) !== undefined
        ? Option.some(ThirdParty.entry({
          runtime: name,
          place: `the package ${prefix}${name}`,
          specifier: `${prefix}${name}`
        }))
        : Option.none()
    ),
  names: Effect.map(RuntimeConfig.Current, ({ layers }) => {
    const installed = places().flatMap(namesIn).map((name) => [name.slice(prefix.length), name] as const)
    return new Map([...installed, ...Object.entries(layers)])
  })
}

/**
 * The same, and the servers that a config file names: `remotes: {NAME: {url: unix:PATH}}`. They come after modules, and
 * before what Paneway brings.
 *
 * @category models
 * @since 0.1.0
 */
export const outside = (
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly version: string }
): Finder => ({
  ...thirdParty,
  configured: (name) =>
    Effect.flatMap(thirdParty.configured(name), (module) =>
      Effect.map(RuntimeConfig.Current, ({ remotes }) => {
        const remote = Object.hasOwn(remotes, name) ? remotes[name] : undefined
        if (Option.isSome(module) || remote === undefined) return module
        const made = Effect.map(
          loading(name, () => Promise.all([import("./internal/configuredRemote.ts"), import("./Remote.ts")])),
          ([{ make }, adapter]) => make(adapter, name, remote.url, options)
        )
        return Option.some<Entry>({
          load: Effect.flatMap(made, ({ load }) => load),
          examine: Effect.flatMap(made, ({ examine }) => examine).pipe(
            Effect.catchTag("RuntimeUnavailable", ({ detail }) =>
              Effect.succeed({ usable: false, facts: [], advice: [detail] }))
          )
        })
      })),
  names: Effect.flatMap(thirdParty.names, (modules) =>
    Effect.map(
      RuntimeConfig.Current,
      ({ remotes }) => new Map([...Object.entries(remotes).map(([name, { url }]) => [name, url] as const), ...modules])
    ))
})
