/** `host.json`: which process the host is, for people and for what has to end it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { ProcessIdentity } from "../../src/ProcessIdentity.ts"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import * as SystemError from "../internal/systemError.ts"
import type { Place } from "./place.ts"

const HostRecord = Schema.Struct({
  pid: Schema.Int,
  start: Schema.NonEmptyString,
  boot: Schema.NonEmptyString,
  protocol: Schema.Int,
  version: Schema.String
})
export type HostRecord = typeof HostRecord.Type

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(HostRecord))

/** None where there is none, or it cannot be read. */
export const read = ({ record }: Place): Effect.Effect<Option.Option<HostRecord>> =>
  Effect.match(Effect.try(() => readFileSync(record, "utf8")), {
    onFailure: () => Option.none(),
    onSuccess: parse
  })

/** Whole at once. */
export const write = ({ record }: Place, content: HostRecord): Effect.Effect<void, RuntimeUnavailable> =>
  Effect.try({
    try: () => {
      const draft = `${record}.${process.pid}`
      writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 })
      renameSync(draft, record)
    },
    catch: SystemError.unavailable("pty", record, "see that its directory can be written")
  })

export const remove = ({ record }: Place): Effect.Effect<void> =>
  Effect.ignore(Effect.try(() => rmSync(record, { force: true })))

/** Unless it is about another process. */
export const removeOwn = (place: Place): Effect.Effect<void> =>
  Effect.flatMap(
    read(place),
    (found) => Option.isSome(found) && found.value.pid !== process.pid ? Effect.void : remove(place)
  )

/** The process that the record is about. */
export const identityOf = ({ boot, pid, start }: HostRecord): ProcessIdentity =>
  new ProcessIdentity({ host: hostname(), pid, start, boot })
