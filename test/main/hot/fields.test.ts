import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { fields, markOf } from "../../../src/main/hot/fields.ts"
import { isJson } from "../../../src/main/wire.ts"
import { Mark, markToWord } from "../../../src/Screen.ts"
import { PaneHandle } from "../../../src/Target.ts"

const pane = new PaneHandle({ runtime: "pty", host: "h", scope: "/run/host.sock", id: "p1", incarnation: "i" })
const other = new PaneHandle({ runtime: "pty", host: "h", scope: "/run/host.sock", id: "p2", incarnation: "i" })

/** One value of each type that a field of a mark may have, by the schema of the field. */
const samples: Readonly<Record<string, unknown>> = {
  at: { row: 3, column: 4, epoch: "0w120", step: 2, left: { length: 3, hash: -7 } },
  anchor: [-1, 12, 5],
  depth: { length: 9, hash: 77 },
  echo: [{ length: 5, hash: 1335831723 }],
  turn: { sequence: 8, by: "codex" }
}

const encode = Schema.encodeSync(Schema.toCodecJson(Mark))
const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Mark))
const wireOf = (mark: Mark): unknown => JSON.parse(JSON.stringify(encode(mark)))
const names = Object.keys(Mark.fields).filter((name) => name !== "_tag" && name !== "pane")

describe("a mark by the short way", () => {
  it("is the same word, and the same mark again, with each of its fields", () => {
    assert.includeMembers(Object.keys(samples), names)
    const paneOnly = { _tag: "Mark", pane: { ...pane } }
    const all = Object.fromEntries(names.map((name) => [name, samples[name]]))
    for (const more of [{}, all, ...names.map((name) => ({ [name]: samples[name] }))]) {
      const mark = decode({ ...paneOnly, ...more })
      const wire = wireOf(mark)
      const word = markToWord(mark)
      assert.strictEqual(fields({ mark: wire })["mark"], word)
      assert.deepStrictEqual(markOf(word, { ...pane }), wire)
    }
  })

  it("is of its pane alone, and as it was written", () => {
    const word = markToWord(new Mark({ pane, anchor: [1, 2] }))
    assert.isUndefined(markOf(word, { ...other }))
    for (const wrong of ["", "m1.", "m2.x", word.slice(0, -1), `${word}A`, word.replace("m1.e", "m1.f")]) {
      assert.isUndefined(markOf(wrong, { ...pane }), wrong)
    }
    assert.isTrue(isJson(markOf(word, { ...pane })))
  })

  it("of a pane with a very long name is known by the digest of that", () => {
    const long = new PaneHandle({ ...pane, scope: `/${"x".repeat(900)}/host.sock` })
    const word = markToWord(new Mark({ pane: long, anchor: [1] }))
    assert.deepStrictEqual(markOf(word, { ...long }), wireOf(new Mark({ pane: long, anchor: [1] })))
    assert.isUndefined(markOf(word, { ...pane }))
  })
})
