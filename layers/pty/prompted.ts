/**
 * Holds back what is sent to a shell until it edits its line itself. Before that the terminal takes 4095 bytes and drops
 * the rest in silence.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { realpathSync } from "node:fs"
import { basename, delimiter, isAbsolute, join } from "node:path"
import type { Command } from "./command.ts"
import type { ScreenModel } from "./screenModel.ts"

/** Shells with a line editor. The others never read more than a terminal's line. */
const editing = new Set(["bash", "zsh", "fish"])

/** Milliseconds in which a shell that does not ask for pastes is taken to be at its prompt once it fell silent. */
const quiet = 150
/** Milliseconds after which the text is sent whatever the shell does: it may never show a prompt. */
const longest = 2000

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

export const isInteractive = (args: ReadonlyArray<string>): boolean =>
  args.includes("-i") || (args.every((arg) => /^[-+]/.test(arg)) && !args.some((arg) => /^-[A-Za-z]*c/.test(arg)))

/** Succeeds once the shell was seen at its prompt, or that can wait no longer; at once for any other program. */
export const make = ({ argv: [name, ...args], env }: Command, screen: ScreenModel): Effect.Effect<void> => {
  if (!isInteractive(args) || !editing.has(basename(fileOf(name, env.PATH ?? "")))) return Effect.void
  const changed = Effect.callback<void>((resume) => {
    const wake = () => {
      screen.wakes.delete(wake)
      resume(Effect.void)
    }
    screen.wakes.add(wake)
    return Effect.sync(() => screen.wakes.delete(wake))
  })
  const settled = Effect.gen(function*() {
    if (screen.read("visible").rows.every((row) => row === "")) yield* changed
    while (!screen.bracketedPaste()) {
      if (Option.isNone(yield* Effect.timeoutOption(changed, quiet))) return
    }
  })
  let over = false
  return Effect.suspend(() =>
    over
      ? Effect.void
      : Effect.andThen(Effect.timeoutOption(settled, longest), Effect.sync(() => over = true))
  )
}
