/** The style in which a program prints next, as the sequences that chose it: the emulator tells the style of cells only. */
import type { Terminal } from "@xterm/headless"

type Params = ReadonlyArray<number | ReadonlyArray<number>>

/** What a parameter sets or resets, and which others it takes the place of. */
const kindOf = (code: number): string | undefined => {
  if (code === 1 || code === 2) return `weight${code}`
  if (code === 3) return "italic"
  if (code === 4 || code === 21) return "underline"
  if (code === 5 || code === 6) return "blink"
  if (code >= 7 && code <= 9) return `${code}`
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "text"
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "ground"
  if (code === 53) return "overline"
  return code === 58 ? "line" : undefined
}

const ends: ReadonlyMap<number, ReadonlyArray<string>> = new Map([
  [22, ["weight1", "weight2"]],
  [23, ["italic"]],
  [24, ["underline"]],
  [25, ["blink"]],
  [27, ["7"]],
  [28, ["8"]],
  [29, ["9"]],
  [39, ["text"]],
  [49, ["ground"]],
  [55, ["overline"]],
  [59, ["line"]]
])

/** Numbers that belong to a colour where they are not given as parts of it: `5;N` or `2;R;G;B`. */
const lengthOfColour = (mode: unknown): number => mode === 2 ? 4 : mode === 5 ? 2 : 0

/** Characters of a link that is told. */
const longestLink = 2048

/** Gives what selects the style and begins the link, from the default ones. */
export const register = (term: Terminal): () => string => {
  const chosen = new Map<string, string>()
  const see = (params: Params) => {
    let at = 0
    while (at < params.length) {
      const code = params[at]
      at += 1
      if (typeof code !== "number") continue
      const parts = params[at]
      let text = `${code}`
      if (Array.isArray(parts)) {
        text += parts.map((part) => part < 0 ? ":" : `:${part}`).join("")
        at += 1
      } else if (code === 38 || code === 48 || code === 58) {
        const length = lengthOfColour(parts)
        text += params.slice(at, at + length).map((part) => `;${String(part)}`).join("")
        at += length
      }
      if (code === 0) chosen.clear()
      for (const kind of text === "4:0" ? ["underline"] : ends.get(code) ?? []) chosen.delete(kind)
      const kind = text === "4:0" ? undefined : kindOf(code)
      if (kind !== undefined) chosen.set(kind, text)
    }
  }
  term.parser.registerCsiHandler({ final: "m" }, (params) => {
    see(params)
    return false
  })
  let link = ""
  const reset = (): false => {
    chosen.clear()
    link = ""
    return false
  }
  term.parser.registerOscHandler(8, (data) => {
    link = data.length > longestLink || /^[^;]*;$/.test(data) ? "" : `\x1b]8;${data}\x1b\\`
    return false
  })
  term.parser.registerCsiHandler({ intermediates: "!", final: "p" }, reset)
  term.parser.registerEscHandler({ final: "c" }, reset)
  return () => `${chosen.size === 0 ? "\x1b[m" : `\x1b[0;${[...chosen.values()].join(";")}m`}${link}`
}
