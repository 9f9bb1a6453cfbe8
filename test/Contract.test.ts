import { assert, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Rpc, RpcGroup, RpcTest } from "effect/rpc"
import * as Schema from "effect/Schema"
import * as RuntimeError from "../src/RuntimeError.ts"
import { Mark, Screen } from "../src/Screen.ts"
import { DeliveryReport } from "../src/Send.ts"
import { PaneHandle } from "../src/Target.ts"
import * as Memory from "./fixtures/Memory.ts"

class Group extends RpcGroup.make(
  Rpc.make("waitOutput", {
    payload: {
      pane: PaneHandle,
      pattern: Schema.Union([Schema.String, Schema.RegExp]),
      timeout: Schema.Duration,
      after: Schema.optional(Mark)
    },
    success: Schema.Struct({
      text: Schema.String,
      groups: Schema.Array(Schema.String),
      line: Schema.String,
      screen: Screen
    }),
    error: Schema.Union([
      RuntimeError.WaitTimeout,
      RuntimeError.TargetNotFound,
      RuntimeError.RuntimeUnavailable,
      RuntimeError.NativeFailure,
      RuntimeError.PaneEnded,
      RuntimeError.InvalidRequest
    ])
  }),
  Rpc.make("send", {
    payload: { pane: PaneHandle, text: Schema.String },
    success: DeliveryReport,
    error: RuntimeError.RuntimeError
  })
) {}

it.effect("requests, reports, marks and screens cross RPC", () =>
  Effect.gen(function*() {
    const { pane, runtime, script } = yield* Memory.open
    script.respond = (line) => line.toUpperCase()
    const handlers = Group.toLayer(Effect.succeed({
      waitOutput: ({ pane, ...options }) => runtime.waitOutput(pane, options),
      send: ({ pane, text }) => runtime.sendCommand(pane, text)
    }))

    const hit = yield* Effect.gen(function*() {
      const client = yield* RpcTest.makeClient(Group)
      const { mark } = yield* client.send({ pane, text: "abc" })
      return yield* client.waitOutput({ pane, pattern: /AB(C)/i, timeout: Duration.seconds(1), after: mark })
    }).pipe(Effect.scoped, Effect.provide(handlers))

    assert.strictEqual(hit.line, "ABC")
    assert.deepStrictEqual(hit.groups, ["C"])
  }).pipe(Effect.provide(Memory.layer())))
