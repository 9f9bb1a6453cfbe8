/**
 * Which process a number means. Numbers are given out again, after a reboot all of them; a process is identified by its
 * host, its number, the start that the system recorded for it, and the boot of the host that this belongs to.
 *
 * Everything here is pure but for what a {@link Reader} reads. Proof is needed for `live` as for `gone`; what cannot be
 * asked is `unknown`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Liveness } from "./Lifecycle.ts"

const fieldsOf = ({ boot, host, pid, start }: Pick<ProcessIdentity, "boot" | "host" | "pid" | "start">) => [
  host,
  `${pid}`,
  start,
  boot
]

/**
 * One process for as long as it exists. Equal by value.
 *
 * @category models
 * @since 0.1.0
 */
export class ProcessIdentity extends Schema.TaggedClass<ProcessIdentity>("paneway/ProcessIdentity")("ProcessIdentity", {
  host: Schema.NonEmptyString,
  pid: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))),
  /** When it started, as its host tells it: compared, never read. */
  start: Schema.NonEmptyString,
  /** The boot of its host: another one means that every process of then is gone. */
  boot: Schema.NonEmptyString
}) {
  /** One word that {@link parse} reads: host, number, start and boot, percent-encoded, separated by colons. */
  override toString(): string {
    return fieldsOf(this).map(encodeURIComponent).join(":")
  }
}

const isIdentity = Schema.is(ProcessIdentity)
const decode = Schema.decodeUnknownOption(ProcessIdentity)

const decoded = Option.liftThrowable(decodeURIComponent)

/**
 * Reads a printed identity; `None` for any other text.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string): Option.Option<ProcessIdentity> => {
  const parts = text.split(":")
  if (parts.length !== 4) return Option.none()
  return Option.all(parts.map(decoded)).pipe(
    Option.flatMap(([host, pid, start, boot]) =>
      decode({ _tag: "ProcessIdentity", host, pid: Number(pid), start, boot })
    ),
    Option.filter((identity) => isIdentity(identity) && identity.toString() === text)
  )
}

/**
 * Whether both are the same process.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSame = (a: ProcessIdentity, b: ProcessIdentity): boolean => a.toString() === b.toString()

/**
 * What one look at a process number told: when the process that has it now started, that none has it, or that it could
 * not be told.
 *
 * @category models
 * @since 0.1.0
 */
export type Sighting =
  | { readonly _tag: "Started"; readonly start: string }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unknown" }

/**
 * Looks at the processes of one host. Reading never fails: not knowing is an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reader {
  readonly host: string
  readonly boot: Effect.Effect<Option.Option<string>>
  readonly sight: (pid: number) => Effect.Effect<Sighting>
}

/**
 * What was seen says of the recorded process: a number that another process has, or a boot after the recorded one,
 * means that it is gone; another host or a look that told nothing means that it is unknown.
 *
 * @category judging
 * @since 0.1.0
 */
export const judge = (
  recorded: ProcessIdentity,
  seen: { readonly host: string; readonly boot: Option.Option<string>; readonly sighting: Sighting }
): Liveness => {
  const { boot, host, sighting } = seen
  if (host !== recorded.host) return "unknown"
  if (Option.isSome(boot) && boot.value !== recorded.boot) return "gone"
  if (sighting._tag === "Absent") return "gone"
  if (sighting._tag === "Unknown") return "unknown"
  if (sighting.start !== recorded.start) return "gone"
  // the same number and start of an unknown boot may be of another one
  return Option.isSome(boot) ? "live" : "unknown"
}

/**
 * Asks whether a recorded process lives. One of another host is not asked for.
 *
 * @category judging
 * @since 0.1.0
 */
export const probe = Effect.fnUntraced(function*(recorded: ProcessIdentity, reader: Reader) {
  const { host } = reader
  if (host !== recorded.host) return "unknown" satisfies Liveness
  const boot = yield* reader.boot
  return judge(recorded, { host, boot, sighting: yield* reader.sight(recorded.pid) })
})

/**
 * The identity of the process that has the number now. `None`: there is none, or it cannot be told.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function*(pid: number, { boot, host, sight }: Reader) {
  const seen = yield* sight(pid)
  return seen._tag === "Started"
    ? Option.flatMap(yield* boot, (boot) => decode({ _tag: "ProcessIdentity", host, pid, start: seen.start, boot }))
    : Option.none<ProcessIdentity>()
})
