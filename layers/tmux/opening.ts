/**
 * New panes. A pane is made around a program that only sleeps, is given its size and options, and only then becomes the
 * program that was asked for: so it has them from its first moment, and what it prints is heard.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { basename } from "node:path"
import type { AskError, Inventory, OpenError, Size, SpawnRequest } from "../../src/Contract.ts"
import { filter } from "../../src/internal/variables.ts"
import { InvalidRequest, RuntimeUnavailable, SpawnFailed, type TargetNotFound } from "../../src/RuntimeError.ts"
import { type Pane, type PaneHandle, type WindowHandle, windowName } from "../../src/Target.ts"
import type { Clients } from "./clients.ts"
import * as PaneCommand from "./command.ts"
import { absent, isAbsence, isEmpty, NoAnswer, reissued, runtime, unavailable, wayOf } from "./failures.ts"
import * as Forked from "./forked.ts"
import * as Listing from "./listing.ts"
import { type Command, literal } from "./quoting.ts"
import { makeFolder } from "./server.ts"
import type { Answer, Life } from "./transport.ts"
import { has, manualSizeIsDeadly } from "./version.ts"

export interface Options {
  readonly size: Size
  /** Session of a pane that asks for none. */
  readonly session: Effect.Effect<string, AskError>
  readonly identityOf: (life: Life) => Listing.Identity
  readonly env: Readonly<Record<string, string | undefined>>
  /** Also of the variables that a server gets which is started here. */
  readonly inherit: PaneCommand.Inherited | undefined
  /** Told of the process that a pane begins with. */
  readonly leads: (pane: string, pid: number) => void
  /** Variables that wait for a session of that name. */
  readonly awaited: (session: string) => ReadonlyArray<readonly [name: string, value: string]>
}

/** Printed for a pane that was made. */
const madeFormat = "#{pane_id} #{window_id} #{session_id} #{window_width} #{window_height}"

/** A window that is narrower or lower than this has the size of a client that nobody works in. */
const smallest: Size = { columns: 40, rows: 10 }

/** Servers that are just ending take a command and do not answer it. */
const ending = Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "2 seconds" }))

/** It ends by itself, should nobody come back to it. */
const placeholder = ["sleep", "60"]

interface Made {
  readonly pane: string
  readonly window: string
  readonly session: string
  readonly life: Life
  /** Its window is too small to work in. */
  readonly tiny: boolean
}

/** Where a pane goes. */
type Place =
  | { readonly _tag: "Split"; readonly target: string; readonly window: string; readonly own: boolean }
  | { readonly _tag: "Window"; readonly session: string; readonly name: string }
  | { readonly _tag: "Session"; readonly session: string; readonly name: string }

const failed = (reason: SpawnFailed["reason"], detail: string, created: SpawnFailed["created"] = "nothing") =>
  new SpawnFailed({ runtime, reason, detail, created })

/** What the server says before a pane is made; undefined where none runs. */
interface Before {
  readonly life: Life
  readonly sessions: ReadonlyMap<string, string>
  readonly inventory: Inventory
  readonly defaults: PaneCommand.Defaults
  readonly manualSize: boolean
  /** The user has a hook for panes that die. */
  readonly hooked: boolean
}

const deaths: Command = ["show-hooks", "-gw", "pane-died"]

/**
 * Clients are told nothing of a held pane that dies, but of a window that is renamed, if to the name that it has; in a hook
 * itself nothing is told. No shell is run. It is for windows of ours alone: their names never change by themselves.
 */
const tellsDeath = (pane: string) => `run-shell -b -C 'rename-window -t ${pane} "##{window_name}"'`

/** A hook that is not set is its name alone. */
const isHooked = (shown: string): boolean => shown.trim() !== "" && shown.trim() !== deaths[2]

/** Somebody else made the session meanwhile, or its last window was closed. */
const isOvertaken = (error: OpenError): boolean =>
  error._tag === "SpawnFailed" && error.created === "nothing" &&
  /duplicate session|can't find (?:session|window)/.test(error.detail)

/** How often more a pane is tried to be opened after that. */
const overtaken = 3

export const make = (clients: Clients, { awaited, env, inherit, identityOf, leads, session, size }: Options) => {
  const told = (error: NoAnswer): OpenError =>
    error.sent ? failed("lost", error.detail, "indeterminate") : unavailable(error)

  /** A group whose failure is for the caller to judge. */
  const group = (commands: ReadonlyArray<Command>, expect?: string): Effect.Effect<Answer, OpenError> =>
    Effect.catchTags(clients.run(commands, expect), {
      NoAnswer: (error) => Effect.fail(told(error)),
      OtherServer: () => Effect.fail(failed("lost", "the server was started anew meanwhile"))
    })

  const before = Effect.gen(function*() {
    const query = Listing.query()
    const answer = yield* clients.run([
      ["list-sessions", "-F", "#{session_id} #{session_name}"],
      ["show-options", "-gv", "default-shell"],
      ["show-options", "-gwv", "window-size"],
      deaths,
      ["show-environment", "-g"],
      Listing.everyPane(query)
    ])
    const { failure, life, outputs: [sessions = "", shell = "", sizing = "", hook = "", variables = "", listed = ""] } =
      answer
    if (failure !== undefined && !isEmpty(failure)) return yield* failed("other", failure)
    const found: Before = {
      life,
      inventory: Listing.inventoryOf(identityOf(life), query.rows(listed)),
      sessions: new Map(
        sessions.split("\n").flatMap((line) => {
          const gap = line.indexOf(" ")
          return gap === -1 ? [] : [[line.slice(gap + 1), line.slice(0, gap)] as const]
        })
      ),
      defaults: { shell, path: /^PATH=(.*)$/m.exec(variables)?.[1] ?? env.PATH ?? "" },
      manualSize: sizing === "manual",
      hooked: isHooked(hook)
    }
    return found
  }).pipe(
    // it was only asked
    Effect.retry({ schedule: ending, while: (error) => error._tag === "NoAnswer" && error.reason === "lost" }),
    Effect.catchTags({
      // a pane that is asked for is reason enough to start a server
      NoAnswer: (error): Effect.Effect<undefined, OpenError> =>
        error.reason === "not-running" ? Effect.undefined : Effect.fail(told(error)),
      OtherServer: () => Effect.undefined
    })
  )

  const sessionOf = Effect.fnUntraced(function*(asked: string | undefined) {
    const name = asked ?? (yield* session)
    if (name !== "" && !/[.:\0\n]/.test(name)) return name
    return yield* new InvalidRequest({
      operation: "spawn",
      field: "session",
      reason: "is no name of a session of tmux: it may not be empty, nor hold a dot, a colon or a line end"
    })
  })

  const splitOf = (
    { inventory, life }: Before,
    target: PaneHandle | WindowHandle
  ): Effect.Effect<Place, TargetNotFound> => {
    if (target.incarnation !== life.incarnation) return Effect.fail(reissued(target))
    const window = target._tag === "WindowHandle"
      ? target.id
      : inventory.panes.find(({ handle }) => handle.id === target.id)?.window.id
    const record = inventory.windows.find(({ handle }) => handle.id === window)
    return window === undefined || record === undefined
      ? Effect.fail(absent(target))
      : Effect.succeed({ _tag: "Split", target: target.id, window, own: record.root !== undefined })
  }

  /** A name that no window of the session has. */
  const freeName = (windows: Inventory["windows"], session: string, wanted: string): string => {
    const taken = new Set<string>(windows.filter((window) => window.session === session).map(({ name }) => name))
    const clean = windowName(wanted)
    let name: string = clean
    for (let n = 2; taken.has(name); n++) name = `${clean}-${n}`
    return name
  }

  const placeOf = Effect.fnUntraced(
    function*(request: SpawnRequest, command: PaneCommand.Prepared, known: Before | undefined): Effect.fn.Return<
      Place,
      OpenError
    > {
      const { placement } = request
      if (placement !== undefined && "split" in placement) {
        const { split } = placement
        if (known === undefined) {
          return yield* unavailable(
            new NoAnswer({ reason: "not-running", detail: "no server runs that could have it", sent: false })
          )
        }
        if (typeof split !== "string") return yield* splitOf(known, split)
        const inside = yield* sessionOf(request.session)
        const hit = known.inventory.windows.find((window) => window.name === split && window.session === inside)
        return hit === undefined ? yield* absent(split) : yield* splitOf(known, hit.handle)
      }
      const name = yield* sessionOf(placement?.session ?? request.session)
      const windows = known?.inventory.windows ?? []
      const wanted = placement === undefined
        ? freeName(windows, name, request.title ?? basename(command.start.split(" ")[0] ?? ""))
        : windowName(placement.window)
      const hit = windows.find((window) => window.session === name && window.name === wanted)
      if (hit !== undefined && known !== undefined) return yield* splitOf(known, hit.handle)
      const id = known?.sessions.get(name)
      return id === undefined
        ? { _tag: "Session", session: name, name: wanted }
        : { _tag: "Window", session: id, name: wanted }
    }
  )

  const madeOf = Effect.fnUntraced(
    function*(printed: string, life: Life | undefined): Effect.fn.Return<Made, OpenError> {
      const [, pane, window, session, width, height] = /^(%\d+) (@\d+) (\$\d+) (\d+) (\d+)$/.exec(printed.trim()) ?? []
      if (pane === undefined || window === undefined || session === undefined) {
        return yield* failed("lost", `tmux said "${printed.trim()}" of the new pane`, "indeterminate")
      }
      const tiny = Number(width) < smallest.columns || Number(height) < smallest.rows
      if (life !== undefined) return { pane, window, session, tiny, life }
      const answer = yield* group([["list-panes", "-t", pane, "-F", "#{pane_id}"]])
      return { pane, window, session, tiny, life: answer.life }
    }
  )

  const split = Effect.fnUntraced(
    function*({ own, target, window }: Extract<Place, { readonly _tag: "Split" }>, cwd: string, life: Life) {
      const command: Command = [
        "split-window",
        "-d",
        "-P",
        "-F",
        madeFormat,
        "-t",
        target,
        "-c",
        literal(cwd),
        "--",
        ...placeholder
      ]
      const tiled: Command = ["select-layout", "-t", window, "tiled"]
      const taller: ReadonlyArray<Command> = own ? [["resize-window", "-t", window, "-y", "400"]] : []
      let failure: string | undefined
      for (const room of [[], [tiled], [...taller, tiled]]) {
        const answer = yield* group([...room, command], life.incarnation)
        if (answer.failure === undefined) return yield* madeOf(answer.outputs.at(-1) ?? "", answer.life)
        failure = answer.failure
        if (!failure.includes("no space")) break
      }
      if (isAbsence(failure ?? "")) return yield* absent(target)
      return yield* failed("no-space", failure ?? "tmux found no room for it")
    }
  )

  const create = Effect.fnUntraced(
    function*(place: Place, cwd: string, wanted: Size, known: Before | undefined): Effect.fn.Return<Made, OpenError> {
      if (known?.manualSize === true && manualSizeIsDeadly(known.life.version)) {
        return yield* new RuntimeUnavailable({
          runtime,
          reason: "refused",
          detail: "window-size is manual for all windows, and a new window would end this version of tmux: unset it"
        })
      }
      if (place._tag === "Split" && known !== undefined) return yield* split(place, cwd, known.life)
      if (place._tag === "Window" && known !== undefined) {
        const answer = yield* group([[
          "new-window",
          "-d",
          "-P",
          "-F",
          madeFormat,
          "-t",
          `${place.session}:`,
          "-n",
          literal(place.name),
          "-c",
          literal(cwd),
          "--",
          ...placeholder
        ]], known.life.incarnation)
        if (answer.failure !== undefined) return yield* failed("other", answer.failure)
        return yield* madeOf(answer.outputs[0] ?? "", answer.life)
      }
      const name = place._tag === "Session" ? place.session : ""
      const window = place._tag === "Split" ? "" : place.name
      const asked = { name, window, ...wanted, cwd, format: madeFormat, program: placeholder }
      if (known !== undefined) {
        const answer = yield* group([Forked.newSessionWords(asked)], known.life.incarnation)
        if (answer.failure !== undefined) return yield* failed("other", answer.failure)
        return yield* madeOf(answer.outputs[0] ?? "", answer.life)
      }
      const { server } = clients.options
      if (server.inherited === true) {
        return yield* new RuntimeUnavailable({
          runtime,
          reason: "not-running",
          detail: `the server at ${server.path} has ended, and TMUX still names it: unset it, or choose another server`
        })
      }
      const impossible = makeFolder(server)
      if (impossible !== undefined) return yield* unavailable(impossible)
      // a server that ends takes what it made along
      const ended = yield* Forked.newSession({ ...clients.options, env: filter(clients.options.env, inherit) }, asked)
        .pipe(
          Effect.repeat({
            schedule: ending,
            while: ({ stderr, stdout }) => stdout === "" && wayOf(stderr)?.reason === "lost"
          }),
          Effect.mapError(told)
        )
      // where no socket can be made, tmux says so and ends with 0
      if (ended.stdout === "" && (ended.code !== 0 || ended.stderr !== "")) {
        return yield* failed("other", ended.stderr.trim() || `tmux ended with ${ended.code}`)
      }
      return yield* madeOf(ended.stdout, undefined)
    }
  )

  /** The options that a pane of ours has, before its program begins. */
  const settings = (
    { life, pane, session, tiny, window }: Made,
    place: Place,
    request: SpawnRequest,
    command: PaneCommand.Prepared,
    hooked: boolean
  ): ReadonlyArray<Command> => {
    const wanted = request.size ?? (tiny && place._tag !== "Split" ? size : undefined)
    const pinned: ReadonlyArray<Command> = wanted === undefined
      ? []
      : place._tag === "Split"
      ? [["resize-pane", "-t", pane, "-x", `${wanted.columns}`, "-y", `${wanted.rows}`]]
      : [["resize-window", "-t", window, "-x", `${wanted.columns}`, "-y", `${wanted.rows}`]]
    const hold = request.onExit === undefined || request.onExit === "hold"
    const variables = place._tag === "Session" ? awaited(place.session) : []
    return [
      ...pinned,
      ...variables.map(([name, value]): Command => ["set-environment", "-t", session, "--", name, value]),
      ...(place._tag === "Split" ? [] : [
        ["set-option", "-w", "-t", window, "@paneway_name", place.name],
        ["set-option", "-w", "-t", window, "automatic-rename", "off"],
        ["set-option", "-w", "-t", window, "allow-rename", "off"]
      ] satisfies ReadonlyArray<Command>),
      ["set-option", "-p", "-t", pane, "remain-on-exit", hold ? "on" : "off"],
      ...(has(life.version, "exitSignals")
        ? [["set-option", "-p", "-t", pane, "remain-on-exit-format", ""] satisfies Command]
        : []),
      ...(hold && !hooked && (place._tag !== "Split" || place.own) && has(life.version, "exitSignals")
        ? [["set-hook", "-p", "-t", pane, "pane-died", tellsDeath(pane)] satisfies Command]
        : []),
      ["set-option", "-p", "-t", pane, "@paneway_start", command.start],
      ...(request.title === undefined
        ? []
        : [["select-pane", "-t", pane, "-T", literal(request.title)] satisfies Command])
    ]
  }

  const open = Effect.fnUntraced(
    function*(request: SpawnRequest): Effect.fn.Return<Pane, OpenError> {
      const attempt = Effect.gen(function*() {
        const known = yield* before
        const command = yield* PaneCommand.prepare(
          request,
          known?.defaults ?? { shell: env.SHELL ?? "", path: env.PATH ?? "" },
          inherit
        )
        const place = yield* placeOf(request, command, known)
        const made = yield* create(place, command.cwd, request.size ?? size, known)
        const hooked = known?.hooked ??
          (yield* Effect.map(group([deaths], made.life.incarnation), ({ outputs }) => isHooked(outputs[0] ?? "")))
        return { command, place, made, hooked }
      })
      const { command, hooked, made, place } = yield* Effect.retry(attempt, { times: overtaken, while: isOvertaken })
      const { life, pane } = made
      const query = Listing.query()
      const begin = Effect.gen(function*() {
        // what it prints at once is heard then; without a client nobody listens
        if (clients.options.attach !== "wait") yield* Effect.ignore(clients.hear(made.session))
        const answer = yield* group([
          ...settings(made, place, request, command, hooked),
          [
            "respawn-pane",
            "-k",
            "-t",
            pane,
            "-c",
            literal(command.cwd),
            ...command.env.flatMap(([name, value]) => ["-e", `${name}=${value}`]),
            "--",
            ...command.argv
          ],
          Listing.panesBeside(query, pane)
        ], life.incarnation)
        if (answer.failure !== undefined) return yield* failed("other", answer.failure)
        const record = query.rows(answer.outputs.at(-1) ?? "").find((row) => row.number("pane_id") === pane)
        if (record === undefined) return yield* failed("lost", "tmux does not list the new pane")
        leads(pane, Number(record.number("pane_pid")))
        return Listing.paneOf(identityOf(life), record)
      })
      return yield* Effect.onError(
        begin,
        () => Effect.ignore(clients.run([["kill-pane", "-t", pane]], life.incarnation))
      )
    },
    Effect.uninterruptible
  )

  return { open }
}
