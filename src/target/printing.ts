/**
 * Handles as words: `RUNTIME:ID~DIGEST`, with `@SCOPE` after it where the scope cannot be guessed from the runtime.
 *
 * The digest covers everything that makes a handle another one, so a word never names two targets. Nothing in a word
 * means anything to a shell, and the word of a handle is the same whoever prints it.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { sha256 } from "../internal/sha256.ts"

/**
 * What a handle says of its target.
 *
 * @internal
 */
export interface Identity {
  readonly runtime: string
  readonly host: string
  readonly scope: string
  readonly id: string
  readonly incarnation: string
}

/**
 * What a printed handle says. Only the adapter that finds `id` can tell whether it still names the same target.
 *
 * @category models
 * @since 0.1.0
 */
export interface Printed {
  readonly runtime: string
  readonly id: string
  readonly digest: string
  /** Absent: the scope that the runtime has by default on this host. */
  readonly scope?: string
  /** The whole word. */
  readonly word: string
}

/** Last part of the scope that needs no saying. Every other runtime says its scope. */
const defaults: ReadonlyMap<string, string> = new Map([["tmux", "default"], ["pty", "host.sock"]])

/**
 * Whether a word leaves this scope out.
 *
 * @internal
 */
export const isDefault = (runtime: string, scope: string): boolean =>
  defaults.get(runtime) === scope.slice(scope.lastIndexOf("/") + 1)

const utf8 = new TextEncoder()
const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, "0")

/** Each byte that `unsafe` finds a part of becomes `mark` and two digits. */
const escaped = (text: string, unsafe: RegExp, mark: string) =>
  text.replaceAll(unsafe, (part) => Array.from(utf8.encode(part), (byte) => mark + hex(byte)).join(""))

/** Total: what was not escaped by {@link escaped} decodes to a text that is printed otherwise. */
const decoded = (text: string, mark: string) => {
  const units = text.matchAll(new RegExp(`${mark}([0-9A-F]{2})|[^]`, "g"))
  const bytes = Uint8Array.from(
    units,
    ([unit, pair]) => pair === undefined ? unit.charCodeAt(0) : Number.parseInt(pair, 16)
  )
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

/** `=`, because native ids such as `%12` hold percent signs and should read as people know them. */
const printId = (id: string) => escaped(id, /[^A-Za-z0-9_.:%@+/,-]+/g, "=")
const printRuntime = (runtime: string) => escaped(runtime, /[^A-Za-z0-9_.+/-]+/g, "=")
const printScope = (scope: string) => escaped(scope, /[^A-Za-z0-9_.-]+/g, "%")

const join = (runtime: string, id: string, digest: string, scope: string | undefined) =>
  `${printRuntime(runtime)}:${printId(id)}~${digest}${scope === undefined ? "" : `@${printScope(scope)}`}`

/**
 * The word of a handle. Linear in its length; one hash.
 *
 * @internal
 */
export const print = (kind: "pane" | "window", { host, id, incarnation, runtime, scope }: Identity): string =>
  join(
    runtime,
    id,
    sha256([runtime, host, kind, scope, incarnation, id].join("\0")).slice(0, 10),
    isDefault(runtime, scope) ? undefined : scope
  )

const form = /^([^:]+):([^]+)~([0-9a-f]{10})(?:@([^~]*))?$/

/**
 * Reads a word: split at the first `:` and the last `~`. `None` for anything that {@link print} does not write.
 *
 * @internal
 */
export const parse = (word: string): Option.Option<Printed> => {
  const [, first, second, digest, last] = form.exec(word) ?? []
  if (first === undefined || second === undefined || digest === undefined) return Option.none()
  const runtime = decoded(first, "=")
  const id = decoded(second, "=")
  const scope = last === undefined ? undefined : decoded(last, "%")
  if (join(runtime, id, digest, scope) !== word || (scope !== undefined && isDefault(runtime, scope))) {
    return Option.none()
  }
  return Option.some({ runtime, id, digest, word, ...(scope === undefined ? {} : { scope }) })
}
