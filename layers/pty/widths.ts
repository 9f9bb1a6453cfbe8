/** How many columns characters take, and which are one: what a person sees as one character is one in a cell. */
import type * as Graphemes from "@xterm/addon-unicode-graphemes"
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless"
import { createRequire } from "node:module"

/** Characters joined in one cell, far more than any script has. Each takes memory, and a program may print no others. */
const most = 64

const joins = 1

/**
 * The addon (0.4.0) reads its tables from the first byte of a buffer that Node shares with other texts: from whatever
 * stands there. Without the pool it has a buffer of its own.
 */
const loadAddon = (): typeof Graphemes => {
  const size = Buffer.poolSize
  Buffer.poolSize = 0
  try {
    return createRequire(import.meta.url)("@xterm/addon-unicode-graphemes")
  } finally {
    Buffer.poolSize = size
  }
}

/** To be called where text needs it: its tables cost a tenth of the start of a short command. */
export const load = (term: Terminal): void => {
  const { UnicodeGraphemesAddon } = loadAddon()
  const versions: Array<IUnicodeVersionProvider> = []
  const unicode = {
    activeVersion: "",
    register: (version: IUnicodeVersionProvider) => {
      versions.push(version)
    }
  }
  new UnicodeGraphemesAddon().activate({ unicode })
  const graphemes = versions.find(({ version }) => version === unicode.activeVersion)
  if (graphemes === undefined) return
  let joined = 0
  term.unicode.register({
    version: "bounded",
    wcwidth: (character) => graphemes.wcwidth(character),
    charProperties: (character, preceding) => {
      const properties = graphemes.charProperties(character, preceding)
      if ((properties & joins) === 0) {
        joined = 0
        return properties
      }
      joined += 1
      if (joined < most) return properties
      joined = 0
      return graphemes.charProperties(character, 0)
    }
  })
  term.unicode.activeVersion = "bounded"
}
