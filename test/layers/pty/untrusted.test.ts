import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import * as ScreenModel from "../../../layers/pty/screenModel.ts"

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE())

/** mulberry32 */
const generator = (from: number) => {
  let state = from
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  const one = <A>(first: A, ...others: ReadonlyArray<A>): A => [first, ...others][below(others.length + 1)] ?? first
  const some = (most: number, make: () => string) => Array.from({ length: below(most) }, make).join("")
  return { below, one, some }
}
type Asked = Parameters<ScreenModel.ScreenModel["read"]>[0]
type Random = ReturnType<typeof generator>

const anything = ({ below, one, some }: Random): string => {
  const number = () => one("", "0", "1", "2", "3", "7", "25", "99", "1047", "1049", "2004", "2147483647", "99999999999")
  const letter = () => String.fromCharCode(0x40 + below(0x3f))
  const ended = () => one("\u0007", "\u001b\\", "")
  return one(
    () => one("a", "word ", "\t", "日本", "🙂", "👨‍👩‍👧‍👦", "e\u0301", "\u200d", "\u0301", "x".repeat(below(400))),
    () => one("\r", "\n", "\r\n", "\b", "\u000b", "\u000e", "\u0018", "\u0000", "\u0085", "\u009b", "\u0090", "\u009d"),
    () =>
      `\u001b[${one("", "", "?", ">", "=", "<", "!")}${number()}${some(3, () => one(";", ":") + number())}${
        one("", "", " ", "$", "'", "\"")
      }${letter()}`,
    () => `\u001b${one("7", "8", "c", "D", "E", "H", "M", "=", ">", "#8", "(0", "(B", "n", "o", "~", "N")}`,
    () =>
      `\u001b]${one("0;t", "2;t", "4;1;?", "8;;http://x", "8;;", "10;?", "11;?", "52;c;AAAA", "104", "")}${ended()}`,
    () => `\u001bP${one("+q544e", "$qm", "$qr", "1$r", "q#0", "+q")}${ended()}`,
    () => String.fromCharCode(below(256))
  )()
}

describe("whatever a program prints", () => {
  it.live("its screen can be read, resized and closed, and goes on", () =>
    Effect.gen(function*() {
      for (let round = 0; round < 60; round++) {
        const random = generator(seed + round)
        const { below, one, some } = random
        const where = `SEED=${seed + round}`
        const screen = ScreenModel.make({
          columns: one(1, 2, 3, 10, 40),
          rows: one(1, 2, 3, 10),
          scrollback: one(0, 1, 2, 50),
          reply: () => {}
        })
        screen.watch((_, looked) => one(() => false, () => (looked(), true), () => (setImmediate(looked), true))())
        let bytes = 0
        for (let n = below(150); n > 0; n--) {
          if (below(10) === 0) screen.resize({ columns: one(1, 2, 3, 40), rows: one(1, 2, 3, 20) })
          const text = some(8, () => anything(random))
          const printed = Buffer.from(text, one("utf8", "utf8", "latin1"))
          const cut = below(printed.length)
          screen.feed(printed.subarray(0, cut))
          screen.feed(printed.subarray(cut))
          bytes += printed.length
          if (below(8) > 0) continue
          const parsed = Effect.andThen(screen.fed, screen.flush)
          yield* Effect.mapError(Effect.timeout(parsed, "10 seconds"), () => `${where}: it is not parsed`)
          const read = screen.read(one<Asked>("visible", "full", { tail: 3 }, { from: 2 }), below(2) === 0)
          assert.isAtLeast(read.cursor?.row ?? -1, 0, where)
          screen.snapshot()
          screen.restore()
        }
        screen.feed(Buffer.from("\u0018\u001bclast"))
        yield* Effect.andThen(screen.fed, screen.flush)

        assert.isTrue("last".endsWith(screen.read({ tail: 20 }).rows.join("") || "nothing"), where)
        assert.strictEqual(screen.offset(), bytes + 7, where)
        screen.dispose()
      }
    }), 60_000)
})
