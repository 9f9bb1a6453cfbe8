/**
 * Texts on their way through buffers of the server: each of a name that nobody else has. A long one is read from a file of
 * this user alone, which the server does forty times faster than from its control stream.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { byteLength } from "../../src/internal/bytes.ts"
import { type Command, literal } from "./quoting.ts"
import { nonce } from "./transport.ts"

/** Bytes from which on a text goes by a file. */
const long = 64 * 1024

/** Of one send. */
export interface Buffers {
  /** All that were used, which nothing must be left of. */
  readonly names: Array<string>
  /** Those that have to be loaded before. */
  readonly long: Array<{ readonly name: string; readonly text: string }>
}

export const none = (): Buffers => ({ names: [], long: [] })

/** The name of a buffer that the text is in after these commands, and after {@link loading}. */
export const put = (
  { long: texts, names }: Buffers,
  text: string
): { readonly name: string; readonly commands: ReadonlyArray<Command> } => {
  const name = `paneway-${process.pid}-${nonce().slice(-12)}`
  names.push(name)
  if (byteLength(text) <= long) return { name, commands: [["set-buffer", "-b", name, "--", text]] }
  texts.push({ name, text })
  return { name, commands: [] }
}

/** The text could not be written to a file. */
export class NoFile extends Data.TaggedError("NoFile")<{ readonly cause: unknown }> {}

const written = (texts: Buffers["long"]) =>
  Effect.try({
    try: () => {
      const folder = mkdtempSync(join(tmpdir(), "paneway-send-"))
      try {
        const commands = texts.map(({ name, text }): Command => {
          const path = join(folder, name)
          writeFileSync(path, text, { mode: 0o600, flag: "wx" })
          return ["load-buffer", "-b", name, literal(path)]
        })
        return { folder, commands }
      } catch (cause) {
        remove(folder)
        throw cause
      }
    },
    catch: (cause) => new NoFile({ cause })
  })

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** Runs with the commands that load the long texts; their files are gone afterwards. */
export const loading = <A, E>(
  { long: texts }: Buffers,
  use: (commands: ReadonlyArray<Command>) => Effect.Effect<A, E>
): Effect.Effect<A, E | NoFile> =>
  texts.length === 0
    ? use([])
    : Effect.acquireUseRelease(
      written(texts),
      ({ commands }) => use(commands),
      ({ folder }) => Effect.sync(() => remove(folder))
    )

/** Removes what is left of them. */
export const removal = ({ names }: Buffers): ReadonlyArray<ReadonlyArray<Command>> =>
  names.map((name) => [["delete-buffer", "-b", name]])
