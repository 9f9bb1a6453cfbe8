import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Feeding from "../../../layers/pty/feeding.ts"
import type { Output } from "../../../src/Waiting.ts"

/** An emulator that parses at once, ten columns wide, and who watches it. */
const make = (needed: (output: Output) => boolean = () => true) => {
  const written: Array<string> = []
  const asked: Array<Output> = []
  const flows: Array<boolean> = []
  let looked = () => {}
  let row = 0
  const feeding = Feeding.make({
    write: (chunk, parsed) => {
      written.push(Buffer.from(chunk).toString())
      row += Buffer.from(chunk).toString().split("\n").length - 1
      parsed()
    },
    room: () => ({ rows: 4, columns: 10 }),
    place: () => ({ row, top: row, epoch: "0" }),
    isAtEnd: () => true
  }, (on) => flows.push(on))
  const overflow: Feeding.Overflow = (output, done) => {
    asked.push(output)
    looked = done
    return needed(output)
  }
  return {
    ...feeding,
    asked,
    flows,
    written,
    overflow,
    looked: () => looked(),
    print: (text: string) => feeding.feed(Buffer.from(text))
  }
}

describe("what is read of a pane", () => {
  it("goes on at once while nobody watches", () => {
    const { asked, print, written } = make()
    print("1\n".repeat(100))

    assert.deepStrictEqual([written.length, asked.length], [1, 0])
  })

  it("is held back until there was a look, after as many rows as are kept", () => {
    const { asked, looked, overflow, print, watch, written } = make()
    watch(overflow)
    print("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\n")
    const first = [...written]
    looked()
    const second = written.slice(first.length)
    looked()
    looked()

    assert.deepStrictEqual([first, second], [["1\r\n2\r\n3\r\n4\r\n"], ["5\r\n6\r\n7\r\n8\r\n"]])
    assert.deepStrictEqual(written.slice(2), ["9\r\n"])
    assert.deepStrictEqual(asked.map(({ row }) => row), [4, 8])
  })

  it("is counted by its width where it has no ends of lines", () => {
    const { overflow, print, watch, written } = make()
    watch(overflow)
    print(`1\n${"x".repeat(100)}`)

    assert.deepStrictEqual(written, [`1\n${"x".repeat(30)}`])
  })

  it("is counted over chunks", () => {
    const { overflow, print, watch, written } = make()
    watch(overflow)
    for (const part of ["1\r", "\n2", "\r\n", "x".repeat(13), "yyyyy\r\n", "5\r\n"]) print(part)

    assert.strictEqual(written.join(""), "1\r\n2\r\nxxxxxxxxxxxxxyyyyy\r\n")
  })

  it("is counted alike however it is cut into chunks", () => {
    const text = Buffer.from(
      "first\r\na line that is longer than ten\r\n\r\nshort\r\n1234567\r\n8\r\nten columns\r\nten\r\n".repeat(9)
    )
    const asks = (size: number) => {
      const { asked, overflow, watch, ...pane } = make(() => false)
      watch(overflow)
      for (let at = 0; at < text.length; at += size) pane.feed(text.subarray(at, at + size))
      return asked
    }
    const whole = asks(text.length)

    assert.isAbove(whole.length, 20)
    for (let size = 1; size < 100; size++) {
      assert.deepStrictEqual(asks(size), whole, `chunks of ${size}`)
    }
  })

  it("goes on where nobody needs it, and says what it reads where that is certain", () => {
    const { asked, overflow, print, watch, written } = make(() => false)
    watch(overflow)
    print("a\r\nb\r\nc\r\nd\r\n1\r\n2\r\n3\r\n4\r\n\u001b[1mx\r\n\r\n\r\n\r\n5\r\n6\r\n7\r\n8é\r\n9")

    assert.deepStrictEqual(asked.map(({ text }) => text), [
      undefined, // what stands before it is not known
      "1\r\n2\r\n3\r\n4\r\n",
      undefined,
      "5\r\n6\r\n7\r\n8é\r\n"
    ])
    assert.strictEqual(written.at(-1), "9")
  })

  for (const [what, text] of [["a carriage return", "1\r2\r\n"], ["a backspace", "1\b2\r\n"], ["a tab", "1\t2\r\n"]]) {
    it(`is not certain with ${what}`, () => {
      const { asked, overflow, print, watch } = make(() => false)
      watch(overflow)
      print("\r\n".repeat(4))
      print(`${text}\r\n\r\n\r\n`)
      for (const byte of `${text}\r\n\r\n\r\n`) print(byte)
      print("\r\n".repeat(4))

      assert.deepStrictEqual(asked.map((output) => output.text), [undefined, undefined, undefined, "\r\n".repeat(4)])
    })
  }

  it("goes on when who held it watches no more, and when it is released", () => {
    for (const how of ["unwatch", "release"] as const) {
      const { overflow, print, release, unwatch, watch, written } = make()
      watch(overflow)
      print("1\n".repeat(100))
      if (how === "unwatch") unwatch(overflow)
      else release()

      assert.strictEqual(written.join("").length, 200)
    }
  })

  it("stops the pty while much is held back", () => {
    const { flows, looked, overflow, print, unwatch, watch } = make()
    watch(overflow)
    print("1\n".repeat(10))
    const few = [...flows]
    print("1\n".repeat(100_000))
    looked()
    const many = [...flows]
    unwatch(overflow)

    assert.deepStrictEqual([few, many, flows], [[], [false], [false, true]])
  })

  it.live("is held back for a tenth of a second at most", () =>
    Effect.gen(function*() {
      const { asked, fed, overflow, print, watch, written } = make()
      watch(overflow)
      print("1\n".repeat(6))
      const waiting = yield* Effect.forkChild(fed, { startImmediately: true })
      const early = waiting.pollUnsafe()
      yield* Fiber.join(waiting)

      assert.isUndefined(early)
      assert.deepStrictEqual([written.join("").length, asked.length], [12, 1])
    }))
})
