import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Identity from "../src/ProcessIdentity.ts"

const recorded = new Identity.ProcessIdentity({ host: "a:b %", pid: 42, start: "1234", boot: "boot-1" })
const started = (start: string): Identity.Sighting => ({ _tag: "Started", start })
const here = { host: recorded.host, boot: Option.some("boot-1"), sighting: started("1234") }

describe("the identity of a process", () => {
  it("prints as one word that is read back, and no other text is", () => {
    assert.strictEqual(recorded.toString(), "a%3Ab%20%25:42:1234:boot-1")
    assert.isTrue(Equal.equals(Identity.parse(recorded.toString()), Option.some(recorded)))
    for (
      const text of [
        "",
        "a",
        "a:1:2",
        "a:1:2:3:4",
        "a:0:2:3",
        "a:-1:2:3",
        "a:x:2:3",
        "a:01:2:3",
        "a:1.5:2:3",
        ":1:2:3",
        "a:1::3",
        "%:1:2:3",
        " a:1:2:3"
      ]
    ) {
      assert.isTrue(Option.isNone(Identity.parse(text)), text)
    }
  })

  it("keeps its fields in JSON", () => {
    const codec = Schema.toCodecJson(Identity.ProcessIdentity)
    const wire: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(recorded)))

    assert.deepStrictEqual(wire, { _tag: "ProcessIdentity", host: "a:b %", pid: 42, start: "1234", boot: "boot-1" })
    assert.isTrue(Equal.equals(Schema.decodeUnknownSync(codec)(wire), recorded))
  })

  it("is the same only when all of it is", () => {
    const { boot, host, pid, start } = recorded
    const same = (fields: Partial<{ host: string; pid: number; start: string; boot: string }>) =>
      Identity.isSame(recorded, new Identity.ProcessIdentity({ boot, host, pid, start, ...fields }))

    assert.isTrue(same({}))
    for (const other of [{ host: "b" }, { pid: 43 }, { start: "1235" }, { boot: "boot-2" }]) assert.isFalse(same(other))
  })

  it("proves life and end, and nothing else", () => {
    const cases: ReadonlyArray<readonly [Partial<typeof here>, string]> = [
      [{}, "live"],
      [{ sighting: started("1235") }, "gone"],
      [{ sighting: { _tag: "Absent" } }, "gone"],
      [{ sighting: { _tag: "Unknown" } }, "unknown"],
      [{ boot: Option.some("boot-2") }, "gone"],
      [{ boot: Option.some("boot-2"), sighting: { _tag: "Unknown" } }, "gone"],
      [{ boot: Option.none() }, "unknown"],
      [{ boot: Option.none(), sighting: { _tag: "Absent" } }, "gone"],
      [{ boot: Option.none(), sighting: started("1235") }, "gone"],
      [{ host: "elsewhere" }, "unknown"],
      [{ host: "elsewhere", boot: Option.some("boot-2"), sighting: { _tag: "Absent" } }, "unknown"]
    ]
    for (const [seen, verdict] of cases) {
      assert.strictEqual(Identity.judge(recorded, { ...here, ...seen }), verdict, JSON.stringify(seen))
    }
  })

  it.effect("is read and asked for through a reader, and another host is not asked", () => {
    const asked: Array<number> = []
    const reader: Identity.Reader = {
      host: "here",
      boot: Effect.succeedSome("boot-1"),
      sight: (pid) =>
        Effect.sync((): Identity.Sighting => {
          asked.push(pid)
          return pid === 42 ? started("7") : { _tag: "Absent" }
        })
    }
    return Effect.gen(function*() {
      const mine = Option.getOrThrow(yield* Identity.read(42, reader))

      assert.deepInclude(mine, { host: "here", pid: 42, start: "7", boot: "boot-1" })
      assert.isTrue(Option.isNone(yield* Identity.read(43, reader)))
      assert.isTrue(Option.isNone(yield* Identity.read(42, { ...reader, boot: Effect.succeedNone })))
      assert.strictEqual(yield* Identity.probe(mine, reader), "live")
      assert.strictEqual(yield* Identity.probe(recorded, reader), "unknown")
      assert.deepStrictEqual(asked, [42, 43, 42, 42])
    })
  })
})
