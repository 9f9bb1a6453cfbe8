/**
 * One command in a pane of a runtime that does not give its bytes: what the pane holds when the command has ended is
 * printed then. Its input is nobody's.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Capabilities from "../../Capabilities.ts"
import type { Service } from "../../Contract.ts"
import { withoutControls } from "../../internal/controls.ts"
import { PaneEnded } from "../../RuntimeError.ts"
import * as Screen from "../../Screen.ts"
import { TerminalRuntime } from "../../TerminalRuntime.ts"
import { Caller } from "../Caller.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import { usage } from "../usage.ts"
import { placementOf, type Request, type Result } from "./foreground.ts"
import { tellKept } from "./kept.ts"

/** What a pipe held when this process began is there by then. */
const settled = Duration.millis(100)

const input = Effect.gen(function*() {
  const caller = yield* Caller
  if (caller.input !== "pipe") return Option.none()
  return yield* Stream.runHead(Stream.filter(caller.read, (bytes) => bytes.length > 0))
})

/** Data that cannot be passed on is refused before anything begins; of what comes later only that is told. */
const withoutInput = Effect.fnUntraced(function*(runtime: string) {
  const first = yield* Effect.forkScoped(input)
  const early = yield* Effect.timeoutOption(Fiber.join(first), settled)
  if (Option.isSome(Option.flatten(early))) {
    return yield* usage(
      `standard input has data, and a pane of ${runtime} cannot be given it: ` +
        "add </dev/null where it is not for the command, or use --runtime pty"
    )
  }
  if (Option.isSome(early)) return
  const late = Effect.flatMap(
    Fiber.join(first),
    (found) => Option.isSome(found) ? Output.problem(`standard input does not reach a pane of ${runtime}`) : Effect.void
  )
  yield* Effect.forkScoped(late)
})

/** Rows that the terminal wrapped are one line; the newline at the end is there if the command printed one last. */
const textOf = (screen: Screen.Screen, ansi: boolean): string => {
  const { cursor, origin = 0, rows, wrapped } = screen
  const isEmpty = (row: string) => row.trim() === ""
  const filled = rows.findLastIndex((row) => !isEmpty(row)) + 1
  // empty lines at the end are told by the cursor, which stands below them
  const below = cursor === undefined || screen.alternate === true ? filled : Math.max(filled, cursor.row - origin)
  const shown = rows.slice(0, filled).concat(Array.from({ length: below - filled }, () => ""))
  const lines = Screen.logicalLines({ rows: shown, wrapped }).map(({ text }) => text)
  const inRow = cursor !== undefined && cursor.column > 0 && cursor.row - origin < below
  const text = lines.join("\n") + (lines.length === 0 || inRow ? "" : "\n")
  return ansi ? text : withoutControls(text)
}

const lookAt = Effect.fnUntraced(function*(runtime: Service, pane: Result["pane"], collect: boolean) {
  const caller = yield* Caller
  const ansi = caller.outputIsTerminal && !collect && runtime.capabilities.ansi !== "none"
  const range = runtime.capabilities.scrollback === "none" ? "visible" : "full"
  const screen = yield* runtime.capture(pane, { range, ansi })
  const text = textOf(screen, ansi)
  return { output: ansi && text.includes("\x1b") ? `${text}\x1b[m` : text, truncated: screen.truncated }
})

/**
 * Fails as `spawn` does, with `PaneEnded` where somebody closes the pane, and with the output's errors when it cannot be
 * written. Interrupted or failed, it closes the pane first.
 */
export const run = Effect.fn("cli.run")(function*(request: Request) {
  const caller = yield* Caller
  const runtime = yield* TerminalRuntime
  yield* Capabilities.require(runtime, ["exitStatus"])
  yield* withoutInput(runtime.runtime)
  const { handle: pane } = yield* Effect.acquireRelease(
    runtime.spawn({
      program: { argv: request.argv },
      cwd: request.cwd,
      env: request.env,
      // a pane that stays has the size of where it is
      size: request.size ?? (request.keep === undefined && caller.outputIsTerminal ? caller.size() : undefined),
      onExit: "hold",
      placement: placementOf(request.keep)
    }),
    ({ handle }, exit) => request.keep === undefined ? Effect.ignore(runtime.closePane(handle)) : tellKept(handle, exit)
  )
  const ended = yield* runtime.waitLifecycle({
    condition: "pane-exited",
    target: pane,
    timeout: request.timeout ?? Duration.infinity
  }).pipe(
    Effect.asSome,
    Effect.catchTag("WaitTimeout", () => Effect.succeedNone),
    Progress.during(`${pane} ${request.argv.join(" ")}`)
  )
  if (Option.isSome(ended) && ended.value.observed === "absent") {
    return yield* new PaneEnded({ pane, waitedFor: "the end of the command", lastSeen: { _tag: "Nothing" } })
  }
  const { output, truncated } = yield* lookAt(runtime, pane, request.collect)
  if (!request.collect) {
    yield* caller.write(new TextEncoder().encode(output))
    if (truncated) {
      const last = `${runtime.runtime} keeps no more rows of a pane`
      yield* Output.problem(`the beginning of the output is lost: ${last}`)
    }
  }
  if (Option.isNone(ended) && request.keep !== undefined) yield* Effect.ignore(runtime.closePane(pane))
  const exit = Option.match(ended, { onNone: () => undefined, onSome: (observed) => observed.exit ?? {} })
  return { exit, output, truncated, pane } satisfies Result
}, Effect.scoped)
