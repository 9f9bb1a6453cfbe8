import { assert, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as RuntimeError from "../src/RuntimeError.ts"
import { Mark, Screen } from "../src/Screen.ts"
import { PaneHandle } from "../src/Target.ts"

const pane = new PaneHandle({ runtime: "memory", host: "local", scope: "memory", incarnation: "1", id: "p1" })
const screen = new Screen({ rows: ["ready"], wrapped: [], joined: false, truncated: false, mark: new Mark({ pane }) })
const timeout = new RuntimeError.WaitTimeout({
  target: pane,
  waitedFor: "done",
  timeout: Duration.minutes(2),
  lastSeen: { _tag: "Screen", screen }
})

it("a failure keeps its class, fields and exit code across JSON", () => {
  const codec = Schema.toCodecJson(RuntimeError.RuntimeError)

  const wire: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(timeout)))
  const back = Schema.decodeUnknownSync(codec)(wire)

  assert(back instanceof RuntimeError.WaitTimeout && back.lastSeen._tag === "Screen")
  assert.strictEqual(back.message, timeout.message)
  assert.deepStrictEqual(back.lastSeen.screen.rows, ["ready"])
  assert.strictEqual(RuntimeError.exitCode(back), 8)
})

it("a message gives the duration in seconds and says what to do", () => {
  assert.strictEqual(timeout.message, `${pane}: done not seen within 120 s (wait again, or look at lastSeen)`)
})
