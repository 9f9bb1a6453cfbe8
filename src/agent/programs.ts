/**
 * The words of the program in a pane's foreground, from the process table of Linux.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { Pane } from "../Target.ts"
import type { Program } from "./recognise.ts"

/** After the name, which may hold blanks: state, parent, group, session, terminal, the group in the foreground. */
const foreground = 5

/** For so long, in milliseconds, and of so many panes. */
const fresh = 1000
const many = 1000

/** Words after so many are not looked at. */
const most = 64

/**
 * Reads `/proc` for panes of this host; elsewhere, and where it tells nothing, the runtime's own word counts.
 *
 * @internal
 */
export const fromProcesses = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const read = (path: string) => Effect.option(fs.readFileString(path))
  const host = Option.getOrElse(yield* read("/proc/sys/kernel/hostname"), () => "").trim()

  const wordsOf = Effect.fnUntraced(function*(pid: number) {
    const stat = Option.getOrElse(yield* read(`/proc/${pid}/stat`), () => "")
    const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[foreground])
    if (!(group > 0)) return Option.none<ReadonlyArray<string>>()
    return Option.map(
      yield* read(`/proc/${group}/cmdline`),
      (text) => text.split("\0").filter((word) => word !== "").slice(0, most)
    )
  })

  /** Words that were read a moment ago count while the program is called the same. */
  const recent = new Map<
    number,
    { readonly command: string | undefined; readonly at: number; readonly program: Program }
  >()

  const of = (pane: Pane): Effect.Effect<Option.Option<Program>> => {
    const { command, handle, pid } = pane
    const told = command === undefined || command === "" ? Option.none<Program>() : Option.some({ name: command })
    if (pid === undefined || host === "" || handle.host !== host) return Effect.succeed(told)
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const known = recent.get(pid)
      if (known !== undefined && known.command === command && now - known.at < fresh) {
        return Effect.succeedSome(known.program)
      }
      return Effect.map(wordsOf(pid), (found): Option.Option<Program> => {
        const argv = Option.getOrElse(found, (): ReadonlyArray<string> => [])
        const [first] = argv
        if (first === undefined) return told
        const program = { name: command ?? first, argv }
        if (recent.size >= many) recent.clear()
        recent.set(pid, { command, at: now, program })
        return Option.some(program)
      })
    })
  }

  return { of }
})
