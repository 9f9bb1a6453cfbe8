/** What is started in a scripted pane, and where. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { SpawnRequest } from "../../src/Contract.ts"
import * as Variables from "../../src/internal/variables.ts"
import { SpawnFailed, TargetNotFound } from "../../src/RuntimeError.ts"
import * as Target from "../../src/Target.ts"
import { Opened } from "./entries.ts"
import type { Faults } from "./faults.ts"
import * as Output from "./output.ts"
import * as Programs from "./program.ts"
import type { Responding } from "./responding.ts"
import type { Settings } from "./settings.ts"
import * as Shell from "./shell.ts"
import * as Terminal from "./terminal.ts"
import type { HeldPane, HeldWindow, World } from "./world.ts"

interface Started {
  readonly program: Programs.Program
  readonly startCommand: string
}

const shells = new Set(["sh", "bash", "dash", "ash", "zsh", "fish"])

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const baseName = (path: string) => path.split("/").findLast((part) => part !== "") ?? path

/** What a pane runs that is given no program. */
const usual = ({ profile, program }: Pick<Settings, "profile" | "program">): Programs.Program =>
  program ?? (profile === "agent-aware" ? Programs.agent() : Shell.shell())

/** The program of a request: one that the test gave, a shell, or a command of the virtual shell. */
const startedBy = (
  settings: Settings,
  runtime: string,
  { cwd, program }: SpawnRequest
): Effect.Effect<Started, SpawnFailed> =>
  Effect.suspend(() => {
    const failed = (reason: SpawnFailed["reason"], detail: string) =>
      Effect.fail(new SpawnFailed({ runtime, reason, detail, created: "nothing" }))
    if (cwd !== undefined && !settings.directories(cwd)) return failed("bad-directory", `there is no directory ${cwd}`)
    if (program === undefined) {
      const own = usual(settings)
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
    const given = Object.hasOwn(settings.programs, name) ? settings.programs[name] : undefined
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

interface Place {
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

const place = Effect.fnUntraced(
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
const environment = (
  { env = {}, unset = [] }: SpawnRequest,
  set: ReadonlyMap<string, string>
): Readonly<Record<string, string>> => ({
  ...Variables.filter(Object.fromEntries(set), { deny: unset }),
  ...Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, typeof value === "string" ? value : Redacted.value(value)])
  )
})

/** Opens a pane, and with it its window where that is new. */
export const make = ({ faults, fork, responding, settings, world }: {
  readonly settings: Settings
  readonly world: World
  readonly faults: Faults
  readonly responding: Responding
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
}) => {
  const { runtime } = world.identity()

  return Effect.fnUntraced(function*(request: SpawnRequest) {
    yield* world.ask()
    const started = yield* startedBy(settings, runtime, request)
    const at = yield* place(world, request.session ?? settings.session, request, started.program.name)
    const window: HeldWindow = at.window ?? {
      handle: new Target.WindowHandle({ ...world.identity(), id: world.nextId("window") }),
      name: at.name,
      session: at.session,
      facts: {}
    }
    const handle = new Target.PaneHandle({ ...world.identity(), id: world.nextId("pane") })
    const output = Output.make()
    const running = Terminal.make({
      ...(request.size ?? settings.size),
      scrollback: settings.scrollback,
      pane: handle,
      directory: request.cwd ?? "/",
      isDirectory: settings.directories,
      env: environment(request, world.state.variables),
      responders: () => responding.of(handle),
      changed: () => world.wake(pane),
      printed: output.push,
      ended: () => {
        if (world.panes.get(handle.id) !== pane) return
        if (request.onExit === "close") return world.remove(pane)
        if (request.onExit === "shell") running.start(usual({ program: settings.program, profile: "plain-pane" }))
        else output.end()
        world.changed()
      },
      fork
    })
    const pane: HeldPane = {
      handle,
      window,
      running,
      startCommand: started.startCommand,
      title: request.title,
      output,
      watchers: new Set(),
      facts: {},
      traits: {},
      late: "",
      clogged: false
    }
    world.windows.set(window.handle.id, window)
    world.panes.set(handle.id, pane)
    world.log.push(new Opened({ target: handle, window: window.handle, program: started.startCommand }))
    world.changed()
    running.start(started.program)
    if (faults.find("AnswerLost") !== undefined) {
      faults.replace("AnswerLost", undefined)
      return yield* new SpawnFailed({
        runtime,
        reason: "lost",
        detail: "the answer to the opening was lost",
        created: "indeterminate"
      })
    }
    return world.describe(pane)
  })
}
