/**
 * What the agents in panes are doing: the layer behind `AgentSense`, for runtimes that do not tell it themselves.
 *
 * It judges the end of the screen by the profile of the agent whose program runs in the pane, and confirms over time:
 * work that seems to end has to stay ended. It looks when the contract looks, and asks for another look only where time
 * alone decides, so that a screen that rests costs nothing.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import { type AgentReport, AgentReports, AgentSense, type Sensed } from "../AgentState.ts"
import type { Screen } from "../Screen.ts"
import type { Pane, PaneHandle } from "../Target.ts"
import { following } from "./files.ts"
import { confirmMillis, type Memory, next } from "./history.ts"
import { judge, type Verdict } from "./judge.ts"
import type { AgentProfile } from "./profile.ts"
import { builtIn } from "./profiles/all.ts"
import { fromProcesses } from "./programs.ts"
import { hides, ofProgram, ofScreen, type Program } from "./recognise.ts"
import { accept, type Reported, weigh } from "./reports.ts"
import { resetAt } from "./reset.ts"
import type { Shown } from "./structure/regions.ts"

/**
 * The profiles that are used, asked for at each look: they may change.
 *
 * @category references
 * @since 0.1.0
 */
export const Profiles = Context.Reference<Effect.Effect<ReadonlyArray<AgentProfile>>>(
  "paneway/agent/AgentDetector/Profiles",
  {
    defaultValue: () => Effect.succeed(builtIn)
  }
)

/**
 * The built-in profiles and those of the files in a directory of the user, which count from their next change on.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerProfiles = (directory: string): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(Profiles, Effect.map(following(directory), ({ current }) => current))

const programOf = ({ command }: Pane): Effect.Effect<Option.Option<Program>> =>
  Effect.succeed(command === undefined || command === "" ? Option.none() : Option.some({ name: command }))

/**
 * The program in the foreground of a pane, with its words where they can be known. The default knows what the runtime says.
 *
 * @category references
 * @since 0.1.0
 */
export const Programs = Context.Reference<typeof programOf>("paneway/agent/AgentDetector/Programs", {
  defaultValue: () => programOf
})

/**
 * Programs as the process table of Linux has them, for panes of this host: an agent that an interpreter runs is known by
 * the script. Elsewhere as by default.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPrograms: Layer.Layer<never, never, FileSystem.FileSystem> = Layer.effect(
  Programs,
  Effect.map(fromProcesses, ({ of }) => of)
)

/**
 * The directory of the user's profiles: `paneway/agents` in `$XDG_CONFIG_HOME`, else in `~/.config`.
 *
 * @category environment
 * @since 0.1.0
 */
export const directoryOf = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { HOME, XDG_CONFIG_HOME } = env
  const base = XDG_CONFIG_HOME?.startsWith("/") === true
    ? XDG_CONFIG_HOME
    : HOME?.startsWith("/") === true
    ? `${HOME}/.config`
    : undefined
  return base === undefined ? undefined : `${base}/paneway/agents`
}

/**
 * What explains a verdict: whose screen it was taken for, and by what. `None` where no agent is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Explained {
  readonly verdict: Verdict
  readonly by: "name" | "program" | "screen"
  /** When a usage limit ends, where the screen says it. */
  readonly resetAtMillis?: number
}

/**
 * @category services
 * @since 0.1.0
 */
export class AgentDetector extends Context.Service<AgentDetector, {
  readonly sense: typeof AgentSense.Service
  /** The program in the foreground of a pane. */
  readonly program: (pane: Pane) => Effect.Effect<Option.Option<Program>>
  /** Reports of hooks. The one who reports first is heard alone until it says that it ended. */
  readonly reports: NonNullable<typeof AgentReports.Service>
  /** What one screen says by itself, of the agent that is named, else of the one that is found. */
  readonly explain: (
    shown: Shown,
    of?: { readonly agent?: string | undefined; readonly program?: Program | undefined }
  ) => Effect.Effect<Option.Option<Explained>>
}>()("paneway/agent/AgentDetector") {}

interface Known {
  readonly memory: Memory | undefined
  readonly program: string | undefined
  readonly agent: string | undefined
}

/** A screen that says nothing is looked at once more after so long, in milliseconds. */
const soon = 1500

/** So many panes are kept before those that were not looked at for long are forgotten. */
const most = 512

const keyOf = ({ id, incarnation, scope }: PaneHandle) => `${scope}\0${id}\0${incarnation}`

/** Rows at the end of a screen in which a composer and a status stand. */
const atEnd = 8

/** FNV-1a over all rows. */
const hashOf = (rows: ReadonlyArray<string>): number => {
  let hash = 0x811c9dc5
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) hash = Math.imul(hash ^ row.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ 10, 0x01000193)
  }
  return hash >>> 0
}

const shownOf = ({ title }: Pane, { alternate, cursor, origin, rows }: Screen): Shown => ({
  rows,
  title,
  alternate,
  cursor: cursor === undefined || origin === undefined
    ? undefined
    : { row: cursor.row - origin, column: cursor.column }
})

const gone: Sensed = {
  state: "exited",
  source: "process",
  confidence: "certain",
  detail: "its program is gone, the pane's shell is in the foreground"
}

const shell = "shell"

const fromReport = (
  { agent, detail, kind, state }: Reported,
  profile: AgentProfile | undefined,
  againMillis: number | undefined
): Sensed => {
  const name = profile?.name ?? agent
  return {
    state,
    source: "agent-protocol",
    confidence: "certain",
    ...(name === undefined ? {} : { agent: name }),
    ...(detail === undefined ? {} : { detail }),
    ...(kind === undefined || state !== "blocked" ? {} : { kind }),
    ...(againMillis === undefined ? {} : { againMillis })
  }
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<AgentDetector["Service"]> = Effect.gen(function*() {
  const profiles = yield* Profiles
  const programs = yield* Programs
  const known = new Map<string, Known>()
  const reports = new Map<string, Reported>()
  const followers = new Map<string, Set<() => void>>()

  const keepReport = (key: string, kept: Reported | undefined) => {
    if (kept === undefined) reports.delete(key)
    else reports.set(key, kept)
  }

  const keep = (key: string, value: Known) => {
    known.delete(key)
    known.set(key, value)
    if (known.size <= most) return
    const [oldest] = known.keys()
    if (oldest !== undefined) {
      known.delete(oldest)
      reports.delete(oldest)
    }
  }

  /** The profile of what runs there, and whether the process tells it. */
  const recognise = (
    all: ReadonlyArray<AgentProfile>,
    program: Program | undefined,
    rows: ReadonlyArray<string>,
    before: Known | undefined
  ): { readonly profile: AgentProfile; readonly by: Explained["by"] } | undefined => {
    const told = program === undefined ? undefined : ofProgram(all, program)
    if (told !== undefined) return { profile: told, by: "program" }
    if (program !== undefined && !hides(program)) return undefined
    // what was known of the same program stays so when its name has scrolled away
    const same = before !== undefined && before.program === program?.name ? before.agent : undefined
    const profile = ofScreen(all, rows) ?? all.find(({ name }) => name === same)
    return profile === undefined ? undefined : { profile, by: "screen" }
  }

  const sense = Effect.fnUntraced(function*(pane: Pane, screen: Screen) {
    const key = keyOf(pane.handle)
    const before = known.get(key)
    const now = yield* Clock.currentTimeMillis
    const all = yield* profiles
    const program = Option.getOrUndefined(yield* programs(pane))
    const found = recognise(all, program, screen.rows, before)
    const atShell = found?.by === "program" && found.profile.name === shell && pane.atShell !== false
    if (atShell) reports.delete(key)
    if (atShell && before?.agent !== undefined && before.agent !== shell) {
      keep(key, { ...before, memory: undefined })
      return Option.some<Sensed>({ ...gone, agent: before.agent })
    }
    const report = reports.get(key)
    // a hook in the pane knows whose it is
    const profile = found?.profile ?? all.find(({ name }) => name === report?.agent)
    // a shell that is not at its prompt is a moment: of a program that begins, or of one whose end it has not seen yet
    if (
      profile?.name === shell && found?.by === "program" && !atShell &&
      before?.agent !== undefined && before.agent !== shell
    ) {
      keep(key, { ...before, program: program?.name })
      const told: Sensed = { state: "unknown", source: "none", confidence: "guess" }
      return Option.some<Sensed>(before.program === program?.name ? told : { ...told, againMillis: soon })
    }
    if (profile === undefined) {
      if (report !== undefined) {
        const weighed = weigh(report, { verdict: undefined, screen: 0, now, confirm: 0 })
        keepReport(key, weighed.kept)
        if (weighed.counts) return Option.some(fromReport(report, undefined, weighed.againMillis))
      }
      if (before === undefined || before.program === program?.name) return Option.none<Sensed>()
      keep(key, { ...before, program: program?.name })
      return Option.some<Sensed>({ state: "unknown", source: "none", confidence: "guess", againMillis: soon })
    }
    const shown = shownOf(pane, screen)
    const verdict = judge(profile, shown)
    const { memory, told } = next(before?.memory, {
      profile,
      verdict,
      screen: hashOf(screen.rows),
      transcript: hashOf(screen.rows.slice(0, -atEnd)),
      now,
      quiet: pane.activityAtMillis === undefined ? undefined : Math.max(0, now - pane.activityAtMillis),
      running: found?.by === "program" && !atShell
    })
    keep(key, { memory, program: program?.name, agent: profile.name })
    // its program may have ended in this very moment, with nothing more to be written
    const unsettled = told.state === "unknown" || told.state === "starting"
    const changed = before?.memory?.screen !== memory.screen
    const againMillis = unsettled && changed && found?.by === "program" && !atShell
      ? Math.min(told.againMillis ?? soon, soon)
      : told.againMillis
    const seen: Sensed = againMillis === undefined ? told : { ...told, againMillis }
    if (report === undefined || atShell) return Option.some(seen)
    const weighed = weigh(report, {
      verdict: verdict.state,
      screen: memory.screen,
      now,
      confirm: confirmMillis(profile)
    })
    keepReport(key, weighed.kept)
    const again = Math.min(seen.againMillis ?? Infinity, weighed.againMillis ?? Infinity)
    const due = again === Infinity ? undefined : again
    if (weighed.counts) return Option.some(fromReport(report, profile, due))
    return Option.some<Sensed>(due === undefined ? seen : { ...seen, againMillis: due })
  })

  const explained = (verdict: Verdict, by: Explained["by"]) =>
    Effect.map(Clock.currentTimeMillis, (now): Explained => {
      const reset = verdict.limit === undefined ? undefined : resetAt(verdict.limit, now)
      return { verdict, by, ...(reset === undefined ? {} : { resetAtMillis: reset }) }
    })

  return {
    sense,
    program: programs,
    reports: {
      report: (report: AgentReport) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = keyOf(report.pane)
          const { kept, result } = accept(reports.get(key), report, now)
          keepReport(key, kept)
          const [oldest] = reports.keys()
          if (oldest !== undefined && reports.size > most) reports.delete(oldest)
          if (result === "taken") { for (const heard of followers.get(key) ?? []) heard() }
          return result
        }),
      follow: (pane, heard) =>
        Effect.callback<never>(() => {
          const key = keyOf(pane)
          const all = followers.get(key) ?? new Set()
          followers.set(key, all.add(heard))
          // one that came before this
          if (reports.has(key)) heard()
          return Effect.sync(() => {
            all.delete(heard)
            if (all.size === 0) followers.delete(key)
          })
        })
    },
    explain: Effect.fnUntraced(function*(shown, { agent, program } = {}) {
      const all = yield* profiles
      const named = agent === undefined ? undefined : all.find(({ name }) => name === agent)
      if (named !== undefined) return Option.some(yield* explained(judge(named, shown), "name"))
      const found = recognise(all, program, shown.rows, undefined)
      if (found === undefined) return Option.none<Explained>()
      return Option.some(yield* explained(judge(found.profile, shown), found.by))
    })
  }
})

/**
 * The detector, the sense that the runtimes made within ask, and what takes reports for it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<AgentDetector> = Layer.effectContext(
  Effect.map(make, (detector) =>
    Context.make(AgentDetector, detector).pipe(
      Context.add(AgentSense, detector.sense),
      Context.add(AgentReports, detector.reports)
    ))
)

/**
 * The detector of a program on this host: with programs by the process table and the user's profiles.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHost = (
  env: Readonly<Record<string, string | undefined>>
): Layer.Layer<AgentDetector, never, FileSystem.FileSystem | Path.Path> => {
  const directory = directoryOf(env)
  return layer.pipe(
    Layer.provide(layerPrograms),
    Layer.provide(directory === undefined ? Layer.empty : layerProfiles(directory))
  )
}
