/**
 * Files in which a shell that a command ends leaves its exit code: `run/<name>` in the runtime directory, 0600, gone with
 * their scope. For adapters whose panes run on this machine and tell no exit codes.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import * as RuntimeDirectory from "./runtimeDirectory.ts"

/** More is no exit code. */
const longest = 16

const read = (path: string) =>
  Effect.orElseSucceed(
    Effect.try({ try: () => readFileSync(path, "latin1").slice(0, longest), catch: () => undefined }),
    () => ""
  )

const make = (runtime: string, place: RuntimeDirectory.Surroundings): TerminalRuntime.MakeStatusFile => (name) =>
  Effect.acquireRelease(
    Effect.flatMap(RuntimeDirectory.ensure(runtime, place, "run"), (directory) =>
      Effect.try({
        try: () => {
          const path = join(directory, name)
          writeFileSync(path, "", { flag: "wx", mode: 0o600 })
          return path
        },
        catch: () => undefined
      })),
    (path) => Effect.sync(() => rmSync(path, { force: true }))
  ).pipe(
    Effect.map((path) => ({ path, read: read(path) })),
    Effect.option
  )

/**
 * Without a runtime directory that only this user may enter there are no such files, and commands are run without.
 */
export const layer = (
  runtime: string,
  place: RuntimeDirectory.Surroundings = RuntimeDirectory.surroundings()
): Layer.Layer<never> => Layer.succeed(TerminalRuntime.StatusFiles, Option.some(make(runtime, place)))
