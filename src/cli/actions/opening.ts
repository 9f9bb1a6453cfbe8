/** What `paneway ensure`, `prepare` and `spawn` do. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { Service, SpawnRequest } from "../../Contract.ts"
import { Handed } from "../../internal/handed.ts"
import * as Variables from "../../internal/variables.ts"
import type { Pane } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type * as Spec from "../commands/opening.ts"
import * as Environment from "../environment.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import * as Targets from "../targets.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields } from "../words.ts"

const inSession = (session: string | undefined) => session === undefined ? {} : { session }

/** The caller's directory, not that of the process which makes the window. */
const rootOf = Effect.fnUntraced(function*(directory: string | undefined) {
  const { cwd } = yield* Caller
  return (yield* Path.Path).resolve(cwd, directory ?? ".")
})

type Settings = Parameters<Parameters<typeof Selection.using>[2]>[1]

/** A pane of the host has what this process would give it, and the shell of the config file before the caller's. */
const handedIn = (own: Caller["Service"]["env"], { env: rules, pty: { shell } }: Settings, clean = false) => ({
  ...Environment.handed(own, rules, clean),
  ...(shell === undefined ? {} : { SHELL: shell })
})

/** For panes that the runtime opens by itself. */
const withHanded = <A, E, R>(runtime: Service, settings: Settings, effect: Effect.Effect<A, E, R>) =>
  runtime.runtime === "pty"
    ? Effect.flatMap(
      Caller,
      ({ env }) => Effect.provideService(effect, Handed, { env: handedIn(env, settings), unset: [Environment.all] })
    )
    : effect

export const ensure = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.ensure.flags>) {
  const [name = ""] = words.operands
  if (name.trim() === "") return yield* usage("the name is empty: give the window's name")
  const root = yield* rootOf(words.text("root"))
  const preset = words.text("preset")
  const window = yield* Selection.using(
    words.text("runtime"),
    [],
    (runtime, settings) =>
      withHanded(
        runtime,
        settings,
        runtime.ensureWindow({
          name,
          root,
          ...(preset === undefined ? {} : { preset }),
          ...inSession(words.text("session"))
        })
      ).pipe(Progress.during(`opening ${name}`))
  )
  yield* words.on("json") ? Output.object(fields(window)) : Output.lines([`${window.handle}`])
})

const tell = (json: boolean, pane: Pane) => json ? Output.object(fields(pane)) : Output.lines([`${pane.handle}`])

export const prepare = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.prepare.flags>) {
  const [text = ""] = words.operands
  const pane = yield* Selection.using(words.text("runtime"), [text], (runtime, settings) =>
    Effect.flatMap(
      Targets.window(runtime, text),
      (window) => withHanded(runtime, settings, runtime.preparePane({ window, ...inSession(words.text("session")) }))
    ).pipe(Progress.during(`preparing a pane in ${text}`)))
  yield* tell(words.on("json"), pane)
})

const programOf = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.spawn.flags>) {
  const shell = words.text("shell")
  const [program, ...rest] = words.tail
  if (shell !== undefined) {
    return program === undefined ? { shell } : yield* usage("give --shell or a program after --, not both")
  }
  return program === undefined ? undefined : { argv: [program, ...rest] as const }
})

/** `given` and what is left out; what a process of its own inherits comes with the runtime. */
const environmentOf = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.spawn.flags>) {
  const { env: own } = yield* Caller
  const env = yield* Values.environment(words.texts("env"))
  const wrong = words.texts("unset").find((name) => name === "" || name.includes("="))
  if (wrong !== undefined) return yield* usage(`--unset cannot be ${JSON.stringify(wrong)}: expected a name`)
  const removed = words.on("clean") ? Environment.unneeded(own) : Environment.multiplexers(own)
  const asked = words.texts("unset")
  return (runtime: string, settings: Settings) => {
    const foreign = removed.filter((name) => !Environment.isOf(runtime, name))
    const unset = [...new Set([...foreign, ...asked])].filter((name) => !Object.hasOwn(env, name))
    if (runtime !== "pty") return { env, unset }
    const handed = Variables.filter(handedIn(own, settings, words.on("clean")), { deny: unset })
    return { env: { ...handed, ...env }, unset: [...unset, Environment.all] }
  }
})

const placementOf = Effect.fnUntraced(function*(runtime: Service, words: Words<keyof typeof Spec.spawn.flags>) {
  const [window, split] = [words.text("window"), words.text("split")]
  if (split !== undefined) return { split: Targets.refOf(yield* Targets.any(runtime, split)) }
  return window === undefined ? undefined : { window, ...inSession(words.text("session")) }
})

export const spawn = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.spawn.flags>) {
  if (words.text("window") !== undefined && words.text("split") !== undefined) {
    return yield* usage("--window and --split exclude each other")
  }
  if (words.text("session") !== undefined && words.text("split") !== undefined) {
    return yield* usage("--session and --split exclude each other: a split is in the session of what it splits")
  }
  const size = words.text("size")
  const onExit = (["close", "hold", "shell"] as const).find((one) => one === words.text("on-exit"))
  const request: SpawnRequest = {
    program: yield* programOf(words),
    cwd: yield* rootOf(words.text("root")),
    title: words.text("title"),
    ...(words.text("window") === undefined ? inSession(words.text("session")) : {}),
    size: size === undefined ? undefined : yield* Values.size("--size", size),
    onExit
  }
  const environment = yield* environmentOf(words)
  const pane = yield* Selection.using(
    words.text("runtime"),
    [words.text("split")],
    (runtime, settings) =>
      Effect.flatMap(
        placementOf(runtime, words),
        (placement) => runtime.spawn({ ...request, ...environment(runtime.runtime, settings), placement })
      ).pipe(Progress.during("starting the program"))
  )
  yield* tell(words.on("json"), pane)
})
