/** Sends to a remote pane: read here as the runtime reads them, so that a wrong request costs no call, and made once. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { SendOptions, Service } from "../../src/Contract.ts"
import type * as Keys from "../../src/Keys.ts"
import type { InvalidRequest } from "../../src/RuntimeError.ts"
import { SendRejected } from "../../src/RuntimeError.ts"
import * as Send from "../../src/Send.ts"
import * as Reading from "../../src/send/reading.ts"
import type { PaneHandle } from "../../src/Target.ts"
import type { Operations } from "../../src/terminalRuntime/operations.ts"
import { unanswered } from "../../src/terminalRuntime/reporting.ts"
import { duration } from "../../src/Waiting.ts"
import type { Calls } from "./calls.ts"
import type { Client } from "./connection.ts"

type Sending = Pick<Service, "send" | "sendCommand" | "sendText" | "sendKeys" | "typeInto">
type Wire = NonNullable<Parameters<Client["send"]>[0]["options"]>

const wired = ({ within, ...options }: SendOptions): Wire | InvalidRequest => {
  if (within === undefined) return options
  const time = duration("send", "within", within)
  return Duration.isDuration(time) ? { ...options, within: time } : time
}

const itemOf = (item: Reading.Reading["items"][number]) =>
  item._tag === "Message" ? { message: item.text } : { key: item.key.toString() }

const asPlain = (options: SendOptions | undefined): SendOptions | undefined =>
  options === undefined || Predicate.isObject(options) ? { profile: "plain-pane", ...options } : options

export const make = (calls: Calls, operations: Operations): Sending => {
  const send = operations.hot("send", (pane: PaneHandle, asked: unknown, options: SendOptions = {}) => {
    const reading = Reading.read(asked, options.sanitize === true)
    if (Result.isFailure(reading)) return Effect.fail(new SendRejected({ pane, ...reading.failure }))
    const wire = wired(options)
    if ("_tag" in wire) return Effect.fail(wire)
    const { command, items } = reading.success
    const request = { ...(command === undefined ? {} : { command }), items: items.map(itemOf) }
    return calls.once(
      "send",
      (client) => client.send({ pane, request, options: wire }),
      (cause) => unanswered(pane, cause)
    )
  })

  return {
    send,
    sendCommand: (pane, command, options) => send(pane, { command }, options),
    sendText: (pane, message, options) => send(pane, { items: [{ message }] }, options),
    sendKeys: (pane, keys, options) =>
      send(pane, { items: Array.isArray(keys) ? keys.map((key: Keys.Input) => ({ key })) : keys }, options),
    typeInto: (pane, text, options) => {
      if (typeof text !== "string") return send(pane, { items: [{ message: text }] }, options)
      const asked = Send.typeInto(text)
      const stays = asked.items?.every(({ key }) => key === undefined) ?? true
      return send(pane, asked, stays ? asPlain(options) : options)
    }
  }
}
