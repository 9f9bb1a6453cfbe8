/**
 * The words of handles, printed: nothing but text and a hash. See `printing.ts` for what they mean and how they are read.
 *
 * @since 0.1.0
 */
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

/** `=`, because native ids such as `%12` hold percent signs and should read as people know them. */
const printId = (id: string) => escaped(id, /[^A-Za-z0-9_.:%@+/,-]+/g, "=")
const printRuntime = (runtime: string) => escaped(runtime, /[^A-Za-z0-9_.+/-]+/g, "=")
const printScope = (scope: string) => escaped(scope, /[^A-Za-z0-9_.-]+/g, "%")

/**
 * @internal
 */
export const join = (runtime: string, id: string, digest: string, scope: string | undefined) =>
  `${printRuntime(runtime)}:${printId(id)}~${digest}${scope === undefined ? "" : `@${printScope(scope)}`}`

/**
 * What makes the word of a handle another one than that of every other.
 *
 * @internal
 */
export const digest = (kind: "pane" | "window", { host, id, incarnation, runtime, scope }: Identity): string =>
  sha256([runtime, host, kind, scope, incarnation, id].join("\0")).slice(0, 10)

/**
 * The word of a handle. Linear in its length; one hash.
 *
 * @internal
 */
export const print = (kind: "pane" | "window", identity: Identity): string => {
  const { id, runtime, scope } = identity
  return join(runtime, id, digest(kind, identity), isDefault(runtime, scope) ? undefined : scope)
}
