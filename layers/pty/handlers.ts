/** The emulator's own way with what it reads, for the little that it has to be given in another form. */
import type { Terminal } from "@xterm/headless"

const within = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const handlerOf = (term: Terminal): unknown => within(within(term, "_core"), "_inputHandler")

/**
 * Calls the handler of that name with these numbers. It is no part of the emulator's interface: where a version has none,
 * the sequence does nothing.
 */
export const ownOf = (term: Terminal, name: string) => {
  const handler = handlerOf(term)
  const own = within(handler, name)
  return (params: ReadonlyArray<number>, ...rest: ReadonlyArray<unknown>): void => {
    if (typeof own === "function") Reflect.apply(own, handler, [{ params, length: params.length }, ...rest])
  }
}

/** Ends a sequence that has begun, and resets the terminal. */
const anew = "\x18\x1bc"

/**
 * Where the emulator fails at what it reads, its screen begins anew. The failure would end this process, or leave the
 * pane without a screen.
 */
export const guard = (term: Terminal): void => {
  const handler = handlerOf(term)
  const parse = within(handler, "parse")
  if (typeof handler !== "object" || handler === null || typeof parse !== "function") return
  const tried = (...read: ReadonlyArray<unknown>): unknown => {
    try {
      return Reflect.apply(parse, handler, read)
    } catch {
      return read[0] === anew ? undefined : tried(anew)
    }
  }
  Reflect.set(handler, "parse", tried)
}
