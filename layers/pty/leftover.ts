/**
 * What a program leaves switched on in a terminal that showed its bytes, what switches it off again, and what switches it
 * on in another one.
 *
 * The emulator tells some modes; the others are read along, by the sequences that set and reset them.
 */
import type { Terminal } from "@xterm/headless"

type Params = ReadonlyArray<number | ReadonlyArray<number>>

/** Private modes that the emulator does not tell. */
const privateModes = [5, 69, 1005, 1006, 1015, 1016, 2031] as const

const shownCursor = 25
const numbers = (params: Params): ReadonlyArray<number> => params.filter((param) => typeof param === "number")

/** Numbers by which a program says what it tells of the mouse. */
const mouse = { none: "", x10: "9", vt200: "1000", drag: "1002", any: "1003" } as const

const said = (parts: ReadonlyArray<readonly [boolean, string]>): string =>
  parts.map(([isSo, text]) => isSo ? text : "").join("")

const begin = () => ({
  styled: false,
  cursorShape: 0,
  region: "",
  top: 0,
  charset: false,
  otherKeys: 0,
  pushed: 0
})

export interface Leftover {
  /** What a terminal has to be told to leave the modes in which the program left it. */
  readonly restore: () => string
  /** What another one has to be told to send the same for keys, pastes and the mouse. */
  readonly keys: (keyboardFlags: number) => string
  /**
   * What another one has to be told to print in the same way. `cursor` is what puts the cursor to its place and the style
   * of text as it is: it comes before the modes that would change what it does.
   */
  readonly screen: (cursor: string) => string
  /** Hides the cursor where the program did. */
  readonly visibility: () => string
  /** Rows above the one that the program counts as its first. */
  readonly above: () => number
}

export const register = (term: Terminal): Leftover => {
  const on = new Set([shownCursor])
  let state = begin()
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
    const [top = 1, bottom = 0] = numbers(params)
    const last = bottom === 0 ? term.rows : Math.min(bottom, term.rows)
    state.top = Math.max(0, top - 1)
    state.region = state.top === 0 && last === term.rows ? "" : `${state.top + 1};${last}`
  })
  csi({ intermediates: " ", final: "q" }, (params) => {
    state.cursorShape = numbers(params)[0] ?? 0
  })
  csi({ prefix: ">", final: "m" }, (params) => {
    const [resource, value = 0] = numbers(params)
    if (resource === 4) state.otherKeys = value
  })
  csi({ prefix: ">", final: "u" }, () => {
    state.pushed += 1
  })
  csi({ prefix: "<", final: "u" }, (params) => {
    state.pushed = Math.max(0, state.pushed - Math.max(1, numbers(params)[0] ?? 1))
  })
  term.onResize(() => {
    state.region = ""
    state.top = 0
  })
  term.parser.registerEscHandler({ final: "c" }, () => {
    on.clear()
    on.add(shownCursor)
    // the keyboard's protocol outlives it in some terminals
    state = { ...begin(), pushed: state.pushed }
    return false
  })
  csi({ intermediates: "!", final: "p" }, () => {
    on.add(shownCursor)
    state = { ...state, styled: false, region: "", top: 0, charset: false }
  })
  for (const final of ["0", "B"]) {
    term.parser.registerEscHandler({ intermediates: "(", final }, () => {
      state.charset = final === "0"
      return false
    })
  }

  const restore = () => {
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
      ...privateModes.map((mode) => [on.has(mode), `\x1b[?${mode}l`] as const),
      [state.otherKeys > 0, "\x1b[>4m"],
      [state.charset, "\x1b(B"],
      [state.cursorShape > 0, "\x1b[0 q"],
      [state.region !== "", "\x1b7\x1b[r\x1b8"],
      [state.styled, "\x1b[m"]
    ]
    return said(parts)
  }

  const keys = (keyboardFlags: number) => {
    const { modes } = term
    return said([
      [modes.applicationCursorKeysMode, "\x1b[?1h"],
      [modes.applicationKeypadMode, "\x1b="],
      [modes.bracketedPasteMode, "\x1b[?2004h"],
      [modes.mouseTrackingMode !== "none", `\x1b[?${mouse[modes.mouseTrackingMode]}h`],
      [modes.sendFocusMode, "\x1b[?1004h"],
      ...privateModes.map((mode) => [on.has(mode), `\x1b[?${mode}h`] as const),
      [state.otherKeys > 0, `\x1b[>4;${state.otherKeys}m`],
      [keyboardFlags > 0, `\x1b[>${keyboardFlags}u`]
    ])
  }

  const visibility = () => said([[!on.has(shownCursor), "\x1b[?25l"]])
  const screen = (cursor: string) => {
    const { modes } = term
    return said([
      [state.cursorShape > 0, `\x1b[${state.cursorShape} q`],
      [state.region !== "", `\x1b[${state.region}r`],
      [modes.originMode, "\x1b[?6h"],
      [true, cursor],
      [modes.insertMode, "\x1b[4h"],
      [!modes.wraparoundMode, "\x1b[?7l"],
      [state.charset, "\x1b(0"]
    ]) + visibility()
  }

  return { restore, keys, screen, visibility, above: () => term.modes.originMode ? state.top : 0 }
}
