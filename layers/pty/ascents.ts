/**
 * Where the program went back up on its screen: what it prints there stands above marks that were taken before.
 */
import type Headless from "@xterm/headless"
import type { RawScreen } from "../../src/Contract.ts"
import * as Ascending from "../internal/ascents.ts"

type Terminal = InstanceType<typeof Headless.Terminal>
type Ascents = NonNullable<RawScreen["ascents"]>
type Params = ReadonlyArray<number | ReadonlyArray<number>>

export interface Tracker {
  /** A chunk is on the screen. */
  readonly written: () => void
  /** The step of a mark that is taken now, and the ascents since earlier ones. */
  readonly look: () => { readonly step: number; readonly ascents: Ascents }
  /** The screen was reset, and its top is this row. */
  readonly reset: (row: number) => void
}

/** `origin` is the number of the first row that the emulator keeps. */
export const register = (term: Terminal, origin: () => number): Tracker => {
  const buffers = term.buffer
  const { look, painted, reach } = Ascending.make()
  /** Line of a scrolling region that does not begin at the top of the screen: what is printed there moves up to it. */
  let region = 0
  /** Where the cursor was saved: a row of the emulator, not of the screen. */
  let saved = 0

  const isNormal = () => buffers.active.type === "normal"

  /** Lines count from the top of the screen. */
  const to = (line: number) => {
    if (isNormal()) reach(origin() + buffers.active.baseY + Math.max(0, line))
  }
  const upTo = (line: number) => {
    if (line < buffers.active.cursorY) to(line)
  }
  const first = ([value]: Params): number => typeof value === "number" && value > 0 ? value : 1
  const on = (final: string, went: (params: Params) => void) =>
    term.parser.registerCsiHandler({ final }, (params) => {
      went(params)
      return false
    })
  const onEscape = (final: string, went: () => void) =>
    term.parser.registerEscHandler({ final }, () => {
      went()
      return false
    })
  const save = () => {
    const { baseY, cursorY } = buffers.active
    if (isNormal()) saved = baseY + cursorY
  }
  const restore = () => upTo(saved - buffers.active.baseY)
  const mode = (final: "h" | "l", went: () => void) =>
    term.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
      if (params.includes(1048) || params.includes(1049)) went()
      return false
    })
  const above = (params: Params) => upTo(buffers.active.cursorY - first(params))
  const absolute = (params: Params) => upTo(first(params) - 1)

  on("A", above)
  on("F", above)
  on("H", absolute)
  on("f", absolute)
  on("d", absolute)
  on("S", () => to(0))
  on("T", () => to(0))
  on("s", save)
  on("u", restore)
  on("r", (params) => {
    upTo(0)
    if (isNormal()) region = first(params) - 1
  })
  onEscape("7", save)
  onEscape("8", restore)
  mode("h", save)
  mode("l", restore)
  onEscape("M", () => upTo(buffers.active.cursorY - 1))

  return {
    written: () => {
      if (!isNormal()) painted(origin())
      else if (region > 0) to(region)
    },
    look: () => look(!isNormal()),
    reset: (row) => {
      region = 0
      saved = 0
      reach(row)
    }
  }
}
