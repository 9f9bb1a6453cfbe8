/**
 * Holds back what is sent to a shell until it edits its line itself. Before that the terminal takes 4095 bytes and drops
 * the rest in silence, and a start-up file may read or flush what was typed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { realpathSync } from "node:fs"
import { basename, delimiter, isAbsolute, join } from "node:path"
import { isInteractive } from "../internal/programs.ts"
import type { Command } from "./command.ts"
import * as LineMode from "./lineMode.ts"
import type { ScreenModel } from "./screenModel.ts"

/** Shells with a line editor. The others never read more than a terminal's line. */
const editing = new Set(["bash", "zsh", "fish"])

/** Milliseconds of silence after which the terminal is asked whether a shell that does not ask for pastes edits its line. */
const quiet = 150
/** Milliseconds after which it is asked once more, since a start-up file may wait for a single key for a moment. */
const again = 250

const fileOf = (name: string, path: string): string => {
  const places = name.includes("/") || isAbsolute(name)
    ? [name]
    : path.split(delimiter).map((folder) => join(folder, name))
  for (const place of places) {
    try {
      return realpathSync(place)
    } catch {
      // not there
    }
  }
  return name
}

/**
 * True once the shell was seen at its prompt, and at once for any other program. False where that took too long: what
 * is sent then may be taken by something else than the prompt. `longest`: milliseconds from the first call, for all of
 * them together.
 */
export const make = (
  { argv: [name, ...args], env }: Command,
  tty: string,
  screen: ScreenModel
): (longest: number) => Effect.Effect<boolean> => {
  if (!isInteractive(args) || args.includes("--noediting") || !editing.has(basename(fileOf(name, env.PATH ?? "")))) {
    return () => Effect.succeed(true)
  }
  const changed = Effect.callback<void>((resume) => {
    const wake = () => {
      screen.wakes.delete(wake)
      resume(Effect.void)
    }
    screen.wakes.add(wake)
    return Effect.sync(() => screen.wakes.delete(wake))
  })
  /** A line editor reads key by key; what reads before it, as `read` in a start-up file, reads lines, or not for long. */
  const editsLine = Effect.map(LineMode.isCanonical(tty), (canonical) => canonical !== true)
  const settled = Effect.gen(function*() {
    let pause: number = quiet
    let before = false
    while (!screen.bracketedPaste()) {
      const still = Option.isNone(yield* Effect.timeoutOption(changed, pause))
      const now: boolean = still && (yield* editsLine)
      if (now && before) return
      before = now
      if (still) pause = now ? again : Math.min(2 * pause, 600)
    }
  })
  let seen = false
  let since: number | undefined
  return Effect.fnUntraced(function*(longest) {
    if (seen) return true
    if (screen.bracketedPaste()) return seen = true
    const now = yield* Clock.currentTimeMillis
    since ??= now
    const rest = since + longest - now
    seen = rest > 0 ? Option.isSome(yield* Effect.timeoutOption(settled, rest)) : yield* editsLine
    return seen
  })
}
