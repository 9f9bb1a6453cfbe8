/** What `paneway run --pane` does: one command in the shell of a pane that is there. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Caller } from "../Caller.ts"
import type { run as spec } from "../commands/run.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"

/** What the shell has already. */
const own = ["root", "env", "size", "keep", "window", "session"] as const

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/

/** One word for every shell: fish knows escapes between quotes where others know none, so those stand outside. */
const quoted = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll(/['\\]/g, (character) => `'\\${character}'`)}'`

export const runInPane = Effect.fnUntraced(
  function*(words: Words<keyof typeof spec.flags>, pane: string, argv: ReadonlyArray<string>) {
    const refused = own.find((name) => words.on(name))
    if (refused !== undefined) {
      return yield* usage(`--pane and --${refused} exclude each other: the command runs in the shell that is there`)
    }
    const timeout = (yield* Values.duration(words, "timeout")) ?? Duration.infinity
    const { exitCode, handle, output, truncated } = yield* Selection.using(
      words.text("runtime"),
      [pane],
      (runtime) =>
        Effect.gen(function*() {
          const { handle } = yield* runtime.resolve(pane)
          return { handle, ...yield* runtime.run(handle, { command: argv.map(quoted).join(" "), timeout }) }
        }).pipe(Progress.during(argv.join(" ")))
    )
    yield* (yield* Caller).exitWith(exitCode)
    yield* words.on("json")
      ? Output.object({ exitCode, output, truncated, timedOut: false, pane: `${handle}` })
      : Output.text(output)
  }
)
