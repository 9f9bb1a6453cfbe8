import { assert, describe, it } from "@effect/vitest"
import * as LineEndings from "../../../src/cli/foreground/lineEndings.ts"

/** What a terminal in its usual mode makes of a program's output. */
const throughTerminal = (text: string) => text.replaceAll("\n", "\r\n")

const restored = (chunks: ReadonlyArray<Uint8Array>) => {
  const endings = LineEndings.make()
  return Buffer.concat([...chunks.map(endings.restore), endings.rest()]).toString("latin1")
}
const splits = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)])

describe("line endings", () => {
  const written = ["a\nb\n", "\n", "\r\n", "a\r", "\r", "a\rb\n\r", "\r\r\n\n", "", "no newline", "\n\n\r\n\r\r"]

  it("give back what the program wrote, whatever the chunks", () => {
    for (const text of written) {
      const bytes = Buffer.from(throughTerminal(text), "latin1")

      assert.strictEqual(restored([bytes]), text)
      assert.strictEqual(restored(Array.from(bytes, (byte) => Uint8Array.of(byte))), text)
      for (const parts of splits(bytes)) assert.strictEqual(restored(parts), text)
    }
  })

  it("keep every byte that is no line ending", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x0a)

    assert.strictEqual(restored([bytes]), Buffer.from(bytes).toString("latin1"))
  })
})
