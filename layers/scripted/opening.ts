/** What is started in a scripted pane, and where. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { SpawnRequest } from "../../src/Contract.ts"
import { SpawnFailed, TargetNotFound } from "../../src/RuntimeError.ts"
import type * as Send from "../../src/Send.ts"
import * as Target from "../../src/Target.ts"
import * as Programs from "./program.ts"
import * as Shell from "./shell.ts"
import type { HeldWindow, World } from "./world.ts"

/** A program, or how one is made from what it is started with. */
export type Startable = Programs.Program | ((argv: ReadonlyArray<string>) => Programs.Program)

export interface Options {
  readonly sendProfile: Send.SendProfile
  readonly program: Programs.Program | undefined
  readonly programs: Readonly<Record<string, Startable>>
  readonly isDirectory: (path: string) => boolean
}

export interface Started {
  readonly program: Programs.Program
  readonly startCommand: string
}

const shells = new Set(["sh", "bash", "dash", "ash", "zsh", "fish"])

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const baseName = (path: string) => path.split("/").findLast((part) => part !== "") ?? path

/** What a pane runs that is given no program. */
export const usual = ({ program, sendProfile }: Options): Programs.Program =>
  program ?? (sendProfile === "agent-aware" ? Programs.agent() : Shell.shell())

/** The program of a request: one that the test gave, a shell, or a command of the virtual shell. */
export const startedBy = (
  options: Options,
  runtime: string,
  { cwd, program }: SpawnRequest
): Effect.Effect<Started, SpawnFailed> =>
  Effect.suspend(() => {
    const failed = (reason: SpawnFailed["reason"], detail: string) =>
      Effect.fail(new SpawnFailed({ runtime, reason, detail, created: "nothing" }))
    if (cwd !== undefined && !options.isDirectory(cwd)) return failed("bad-directory", `there is no directory ${cwd}`)
    if (program === undefined) {
      const own = usual(options)
      return Effect.succeed({ program: own, startCommand: own.name })
    }
    if ("shell" in program) {
      return Effect.succeed({
        program: Shell.shell({ command: program.shell, once: true }),
        startCommand: `sh -c ${program.shell}`
      })
    }
    const { argv } = program
    const startCommand = argv.join(" ")
    const name = baseName(argv[0])
    const given = Object.hasOwn(options.programs, name) ? options.programs[name] : undefined
    if (given !== undefined) {
      return Effect.succeed({ program: typeof given === "function" ? given(argv) : given, startCommand })
    }
    if (shells.has(name)) {
      const at = argv.indexOf("-c")
      const command = at === -1 ? undefined : argv[at + 1]
      return Effect.succeed({ program: Shell.shell({ name, command, once: command !== undefined }), startCommand })
    }
    if (Shell.has(name)) {
      const command = [name, ...argv.slice(1)].map(quoted).join(" ")
      return Effect.succeed({ program: Shell.shell({ name, command, once: true, isShell: false }), startCommand })
    }
    return failed("missing-program", `there is no ${name} among the scripted programs: give it in their options`)
  })

export interface Place {
  readonly session: string
  readonly name: Target.WindowName
  readonly window: HeldWindow | undefined
}

const placeOf = (window: HeldWindow): Place => ({ window, session: window.session, name: window.name })

/** A name that no window of the session has. */
const freeName = (world: World, session: string, wanted: Target.WindowName): Target.WindowName => {
  let name = wanted
  for (let n = 2; world.byName(session, name) !== undefined; n++) name = Target.windowName(`${wanted}-${n}`)
  return name
}

export const place = Effect.fnUntraced(
  function*(world: World, session: string, { placement, title }: SpawnRequest, program: string) {
    if (placement === undefined) {
      const name = freeName(world, session, Target.windowName(title ?? program))
      return { window: undefined, session, name } satisfies Place
    }
    if ("window" in placement) {
      const name = Target.windowName(placement.window)
      const inSession = placement.session ?? session
      return { window: world.byName(inSession, name), session: inSession, name } satisfies Place
    }
    const { split } = placement
    if (typeof split === "string") {
      const window = world.byName(session, split)
      if (window === undefined) return yield* new TargetNotFound({ target: split, reason: "absent" })
      return placeOf(window)
    }
    return placeOf(split._tag === "PaneHandle" ? (yield* world.need(split)).window : yield* world.needWindow(split))
  }
)

/** The variables of a pane. */
export const environment = (
  { env = {}, unset = [] }: SpawnRequest,
  set: ReadonlyMap<string, string>
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries([...set].filter(([name]) => !unset.includes(name))),
  ...Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, typeof value === "string" ? value : Redacted.value(value)])
  )
})
