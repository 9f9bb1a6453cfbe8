/**
 * What a program leaves switched on in a terminal that showed its bytes, and what switches it off again.
 *
 * The emulator tells some modes; the others are read along, by the sequences that set and reset them.
 */
import type { Terminal } from "@xterm/headless"

type Params = ReadonlyArray<number | ReadonlyArray<number>>

/** Private modes that the emulator does not tell, with what is sent when they were left on. */
const privateModes: ReadonlyArray<readonly [number, string]> = [
  [5, "\x1b[?5l"],
  [69, "\x1b[?69l"],
  [1005, "\x1b[?1005l"],
  [1006, "\x1b[?1006l"],
  [1015, "\x1b[?1015l"],
  [1016, "\x1b[?1016l"],
  [2031, "\x1b[?2031l"]
]

const shownCursor = 25
const numbers = (params: Params): ReadonlyArray<number> => params.filter((param) => typeof param === "number")

export const register = (term: Terminal): () => string => {
  const on = new Set([shownCursor])
  const state = {
    styled: false,
    cursorShape: false,
    region: false,
    charset: false,
    otherKeys: false,
    pushed: 0
  }
  const csi = (
    id: { readonly prefix?: string; readonly intermediates?: string; readonly final: string },
    see: (params: Params) => void
  ) =>
    term.parser.registerCsiHandler(id, (params) => {
      see(params)
      return false
    })
  csi({ prefix: "?", final: "h" }, (params) => {
    for (const mode of numbers(params)) on.add(mode)
  })
  csi({ prefix: "?", final: "l" }, (params) => {
    for (const mode of numbers(params)) on.delete(mode)
  })
  csi({ final: "m" }, (params) => {
    state.styled = numbers(params).at(-1) !== 0
  })
  csi({ final: "r" }, (params) => {
    state.region = numbers(params).some((row) => row > 1)
  })
  csi({ intermediates: " ", final: "q" }, (params) => {
    state.cursorShape = numbers(params).some((shape) => shape > 0)
  })
  csi({ prefix: ">", final: "m" }, (params) => {
    const [resource, value = 0] = numbers(params)
    if (resource === 4) state.otherKeys = value > 0
  })
  csi({ prefix: ">", final: "u" }, () => {
    state.pushed += 1
  })
  csi({ prefix: "<", final: "u" }, (params) => {
    state.pushed = Math.max(0, state.pushed - Math.max(1, numbers(params)[0] ?? 1))
  })
  for (const final of ["0", "B"]) {
    term.parser.registerEscHandler({ intermediates: "(", final }, () => {
      state.charset = final === "0"
      return false
    })
  }

  return () => {
    const { modes } = term
    const parts: ReadonlyArray<readonly [boolean, string]> = [
      [state.pushed > 0, `\x1b[<${state.pushed}u`],
      [term.buffer.active.type === "alternate", "\x1b[?1049l"],
      [!on.has(shownCursor), "\x1b[?25h"],
      [modes.applicationCursorKeysMode, "\x1b[?1l"],
      [modes.applicationKeypadMode, "\x1b>"],
      [modes.bracketedPasteMode, "\x1b[?2004l"],
      [modes.mouseTrackingMode !== "none", "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l"],
      [modes.sendFocusMode, "\x1b[?1004l"],
      [modes.originMode, "\x1b[?6l"],
      [modes.insertMode, "\x1b[4l"],
      [!modes.wraparoundMode, "\x1b[?7h"],
      [modes.synchronizedOutputMode, "\x1b[?2026l"],
      ...privateModes.map(([mode, off]) => [on.has(mode), off] as const),
      [state.otherKeys, "\x1b[>4m"],
      [state.charset, "\x1b(B"],
      [state.cursorShape, "\x1b[0 q"],
      [state.region, "\x1b7\x1b[r\x1b8"],
      [state.styled, "\x1b[m"]
    ]
    return parts.map(([left, off]) => left ? off : "").join("")
  }
}
