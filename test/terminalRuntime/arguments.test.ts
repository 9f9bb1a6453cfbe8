import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Service } from "../../src/Contract.ts"
import { RuntimeError } from "../../src/RuntimeError.ts"
import type * as Target from "../../src/Target.ts"
import * as Memory from "../fixtures/Memory.ts"

type Operation = {
  readonly [K in keyof Service]: Service[K] extends (...args: ReadonlyArray<never>) => unknown ? K : never
}[keyof Service]

type Arguments = ReadonlyArray<unknown>
interface Values {
  readonly pane: Target.PaneHandle
  readonly window: Target.WindowHandle
}

const junk: Arguments = [undefined, null, 1, Number.NaN, "", "text", true, [], {}, [undefined], Symbol("x"), () => 1]
const without = (...allowed: Arguments) => junk.filter((one) => !allowed.includes(one))
const noText = without("", "text")
/** Where a line is typed, numbers count as text, and a blank one as nothing to send. */
const noObject = [null, 1, Number.NaN, "", "text", true, [], [undefined], Symbol("x"), () => 1]
/** The field of an object with each of the values. */
const each = (name: string, values: Arguments, rest: object = {}): Arguments =>
  values.map((value) => ({ ...rest, [name]: value }))

/** What is no pane: among it what names one, which only `resolve` turns into a handle. */
const noPane = ({ pane, window }: Values): Arguments => [...junk, window, `${pane}`, { ...pane }, new Proxy({}, {})]
const noWindow = ({ pane, window }: Values): Arguments => [...without("", "text"), pane, { ...window }]
const session = each("session", noText.filter((one) => one !== undefined))
/** Arguments that are right in themselves. */
const times = (rest: object) => [
  ...each("timeout", without("", "text"), rest),
  { ...rest, timeout: "soon" },
  { ...rest, timeout: "-1 seconds" },
  { ...rest, timeout: { seconds: Number.NaN } },
  { ...rest, timeout: { second: 1 } }
]
const waits = (
  rest: object
) => [...times(rest), ...each("after", [null, 1, "mark", {}], { ...rest, timeout: "1 second" })]

/**
 * For each argument of each operation: values of the wrong shape. The other arguments are those of `right`.
 */
const wrong = (
  values: Values
): { readonly [K in Operation]: { readonly right: Arguments; readonly wrong: ReadonlyArray<Arguments> } } => {
  const { pane, window } = values
  const panes = noPane(values)
  const options = [...noObject, ...each("profile", without(undefined)), ...each("within", without(undefined))]
  const send = (text: Arguments) => [panes, text, [...options, ...each("sanitize", [null, 1, "yes", []])]]
  const timeout = "1 second"
  return {
    resolve: { right: ["p1"], wrong: [noText] },
    ensureWindow: {
      right: [{ name: "a", root: "/w" }],
      wrong: [[
        ...junk,
        ...each("name", noText, { root: "/w" }),
        ...each("root", noText, { name: "a" }),
        ...each("preset", noText.filter((one) => one !== undefined), { name: "a", root: "/w" }),
        ...each("session", noText.filter((one) => one !== undefined), { name: "a", root: "/w" })
      ]]
    },
    closeSession: { right: ["main"], wrong: [noText] },
    listWindows: { right: [{}], wrong: [[...noObject, ...session]] },
    closeWindow: { right: [window, {}], wrong: [noWindow(values), [...noObject, ...session]] },
    preparePane: {
      right: [{ window }],
      wrong: [[...junk, ...each("window", noWindow(values)), ...each("session", [null, 1, [], {}], { window })]]
    },
    listPanes: {
      right: [{ window }],
      wrong: [[...noObject, ...session, ...each("window", noWindow(values).filter((one) => one !== undefined))]]
    },
    closePane: { right: [pane], wrong: [panes] },
    resize: {
      right: [pane, { columns: 80, rows: 24 }],
      wrong: [panes, [
        ...junk,
        ...each("rows", without(1), { columns: 80 }),
        ...each("columns", without(1), { rows: 24 })
      ]]
    },
    focus: { right: [pane], wrong: [[...noText, { ...pane }, { ...window }, [pane]]] },
    spawn: {
      right: [{}],
      wrong: [[
        ...without({}),
        ...each("program", [
          ...junk.filter((one) => one !== undefined),
          { argv: [] },
          { argv: [1] },
          { argv: ["ls", undefined] },
          { argv: Object.assign(Array.from({ length: 0 }), { 1: "ls" }) },
          { argv: "ls" },
          { shell: 1 },
          { shell: ["ls"] },
          { shell: "ls", argv: ["ls"] }
        ]),
        ...each("placement", [
          ...junk.filter((one) => one !== undefined),
          { window: undefined },
          { window: 1 },
          { window: {} },
          { window: "a", session: 1 },
          { split: undefined },
          { split: 1 },
          { split: { ...pane } },
          { window: "a", split: pane }
        ]),
        ...each("cwd", noText.filter((one) => one !== undefined)),
        ...each("title", noText.filter((one) => one !== undefined)),
        ...each("env", [null, 1, "A=1", ["A=1"], { A: 1 }, { A: undefined }, { A: Redacted.make(1) }]),
        ...each("unset", [null, 1, "A", {}, [1], [undefined]]),
        ...each("size", [null, 1, "80x24", [], {}, { columns: "80", rows: 24 }, { columns: Number.NaN, rows: 1 }]),
        ...each("onExit", [null, 1, "", "keep", {}])
      ].filter((one) => typeof one !== "object" || one === null || Array.isArray(one) || Object.keys(one).length > 0)]
    },
    send: {
      right: [pane, { command: "ls" }, {}],
      wrong: send([
        ...junk,
        ...each("command", [...without(1, "text")]),
        ...each("items", [...junk, ["text"], [{ message: 1 }], [{ key: {} }], [{ message: "a", key: "b" }]])
      ])
    },
    sendCommand: { right: [pane, "ls", {}], wrong: send(without(1, "text")) },
    sendText: { right: [pane, "text", {}], wrong: send(without("text")) },
    sendKeys: {
      right: [pane, ["Enter"], {}],
      wrong: send([...junk, ["no key"], [{}], [null], [Number.NaN, "Enter"], new Set(["Enter"])])
    },
    typeInto: { right: [pane, "text", {}], wrong: send(without("text")) },
    run: {
      right: [pane, { command: "ls", timeout }],
      wrong: [panes, [...junk, ...each("command", without("text"), { timeout }), ...times({ command: "ls" }), {
        command: "ls",
        timeout,
        ansi: "yes"
      }]]
    },
    capture: {
      right: [pane, { range: "visible" }],
      wrong: [panes, [
        ...noObject,
        ...each("range", [...without(undefined), { tail: "3" }, { tail: null }]),
        ...each("ansi", [null, 1, "yes"])
      ]]
    },
    output: { right: [pane], wrong: [panes] },
    waitOutput: {
      right: [pane, { pattern: "x", timeout }],
      wrong: [panes, [...junk, ...each("pattern", without("text"), { timeout }), ...waits({ pattern: "x" })]]
    },
    waitStable: {
      right: [pane, { quiet: "1 second", timeout }],
      wrong: [panes, [...junk, ...each("quiet", junk, { timeout }), ...waits({ quiet: "1 second" })]]
    },
    waitAgent: {
      right: [pane, { states: ["idle"], timeout }],
      wrong: [panes, [
        ...junk,
        ...each("states", [...junk, "idle", ["asleep"], ["idle", 1], { 0: "idle", length: 1 }], { timeout }),
        ...waits({ states: ["idle"] })
      ]]
    },
    waitLifecycle: {
      right: [{ condition: "pane-exists", target: pane, timeout }],
      wrong: [[
        ...junk,
        ...each("condition", junk, { target: pane, timeout }),
        ...each("target", [...junk, { ...pane }, window], { condition: "pane-exists", timeout }),
        ...each("target", [...without("", "text"), { ...window }, pane], { condition: "window-exists", timeout }),
        ...each("session", [null, 1, {}], { condition: "window-exists", target: window, timeout }),
        ...times({ condition: "pane-exists", target: pane })
      ]]
    },
    agents: { right: [[pane]], wrong: [[...without(junk[7]), pane, [pane, `${pane}`], [window], new Set([pane])]] },
    probe: { right: [[pane]], wrong: [[...without(junk[7]), pane, [pane, `${pane}`], [window], new Set([pane])]] },
    describe: { right: [pane], wrong: [panes] },
    setEnvironment: {
      right: [{ name: "A", value: "1" }],
      wrong: [[
        ...junk,
        ...each("name", [...noText, "", "A=B", "A\0"], { value: "1" }),
        ...each("value", [...noText, Redacted.make(1)], { name: "A" }),
        ...each("session", [null, 1, {}], { name: "A", value: "1" })
      ]]
    },
    attach: { right: [{}], wrong: [[...noObject, ...session]] }
  }
}

const isContractError = Schema.is(RuntimeError)

const call = (runtime: Service, operation: Operation, args: Arguments): unknown =>
  Reflect.apply(runtime[operation], runtime, args)

const told = (value: unknown): string =>
  typeof value === "symbol" || typeof value === "function" ? String(value) : JSON.stringify(value) ?? "undefined"

/** The end of what a call gave, which is an effect, or a stream where the operation answers with one. */
const exitOf = (given: unknown): Effect.Effect<Exit.Exit<unknown, RuntimeError>> => {
  if (Stream.isStream(given)) {
    return Effect.exit(Stream.runDrain(Stream.take(given as Stream.Stream<unknown, RuntimeError>, 1)))
  }
  assert.isTrue(Effect.isEffect(given))
  return Effect.exit(given as Effect.Effect<unknown, RuntimeError>)
}

describe("an operation that is called without types", () => {
  it.effect("fails with an error of the contract for arguments of a wrong shape, and types and makes nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const before = [...script.log]
      const table = wrong({ pane, window })
      const names: ReadonlyArray<string> = Object.entries(runtime).flatMap(([name, value]) =>
        typeof value === "function" ? [name] : []
      )
      assert.sameMembers(Object.keys(table), [...names])

      for (const [name, { right, wrong }] of Object.entries(table)) {
        const operation = name as Operation
        for (const [index, values] of wrong.entries()) {
          for (const value of values) {
            const args = right.map((one, at) => at === index ? value : one)
            const what = `${name}(${args.map(told).join(", ")})`
            const fiber = yield* Effect.forkChild(exitOf(call(runtime, operation, args)), { startImmediately: true })
            if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 hour")
            const exit = yield* Fiber.join(fiber)
            assert(Exit.isFailure(exit), what)
            const [reason] = exit.cause.reasons
            assert(reason !== undefined && Cause.isFailReason(reason), `${what}: ${Cause.pretty(exit.cause)}`)
            assert.isTrue(isContractError(reason.error), what)
            const { _tag, message } = reason.error
            assert.include(
              ["InvalidRequest", ...name.startsWith("send") || name === "typeInto" ? ["SendRejected"] : []],
              _tag,
              what
            )
            assert.notMatch(message, /\[object|undefined|NaN/, what)
          }
        }
        assert.deepStrictEqual(script.log, before, name)
      }
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("fails so without any argument", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const optional = new Set(["listWindows", "listPanes", "attach"])
      for (const name of Object.keys(wrong({ pane, window }))) {
        const exit = yield* exitOf(call(runtime, name as Operation, []))
        if (optional.has(name)) continue
        assert(Exit.isFailure(exit), name)
        assert.deepInclude(Cause.squash(exit.cause), { _tag: "InvalidRequest", operation: spanOf(name) })
      }
      assert.deepStrictEqual(script.log, ["open p1"])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("fails so for an argument that throws when it is looked at", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const before = [...script.log]
      const no = (): never => {
        throw new Error("do not look")
      }
      const hostile = new Proxy({}, { get: no, getPrototypeOf: no, has: no, ownKeys: no })
      for (const [name, { right }] of Object.entries(wrong({ pane, window }))) {
        for (const index of right.keys()) {
          const args = right.map((one, at) => at === index ? hostile : one)
          const exit = yield* exitOf(call(runtime, name as Operation, args))
          assert(Exit.isFailure(exit), name)
          const error = Cause.squash(exit.cause)
          assert.include(
            ["InvalidRequest", "SendRejected"],
            isContractError(error) ? error._tag : error,
            `${name} ${index}`
          )
        }
      }
      assert.deepStrictEqual(script.log, before)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("takes the arguments that are right", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const last = new Set(["closePane", "closeWindow"])
      const entries = Object.entries(wrong({ pane, window }))
      const inOrder = [
        ...entries.filter(([name]) => !last.has(name)),
        ...entries.filter(([name]) => last.has(name))
      ]
      for (const [name, { right }] of inOrder) {
        if (name === "run") yield* runtime.sendKeys(pane, ["C-u"])
        const fiber = yield* Effect.forkChild(exitOf(call(runtime, name as Operation, right)), {
          startImmediately: true
        })
        yield* TestClock.adjust("2 seconds")
        const exit = fiber.pollUnsafe()
        const outcome = exit !== undefined && Exit.isSuccess(exit) ? exit.value : Exit.void
        const error = Exit.isFailure(outcome) ? Cause.squash(outcome.cause) : undefined
        assert.notInclude(["InvalidRequest", "SendRejected"], isContractError(error) ? error._tag : "none", name)
      }
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is told which argument was wrong, and what it has to be", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const ofWindow = "is the handle of a window, and that of a pane is needed: list the panes of that window"
      const cases: ReadonlyArray<readonly [Operation, Arguments, string, string]> = [
        ["capture", [window], "pane", ofWindow],
        ["probe", [[pane, window]], "panes[1]", ofWindow],
        ["describe", ["p1"], "pane", "must be a pane handle, such as resolve gives for text"],
        ["capture", [pane, null], "options", "must be an object"],
        ["capture", [pane, { range: null }], "range", "must be visible, full or an object with a number, tail"],
        [
          "spawn",
          [{ program: { argv: [] } }],
          "program",
          "must be an object with shell, a text, or argv, texts of which one is the program"
        ],
        ["spawn", [{ env: { A: 1 } }], "env.A", "must be text or redacted text"],
        ["probe", [[pane, undefined]], "panes[1]", "must be a pane handle, such as resolve gives for text"],
        [
          "waitAgent",
          [pane, { timeout: "1 second" }],
          "states",
          "must be a list of some of starting, working, idle, done, blocked, exited, unknown"
        ],
        ["run", [pane, { timeout: "1 second" }], "command", "must be text"]
      ]
      for (const [operation, args, field, reason] of cases) {
        const exit = yield* exitOf(call(runtime, operation, args))
        assert(Exit.isFailure(exit))
        assert.deepInclude(Cause.squash(exit.cause), { _tag: "InvalidRequest", operation, field, reason })
      }
    }).pipe(Effect.provide(Memory.layer())))
})

const spanOf = (name: string) => name.startsWith("send") || name === "typeInto" ? "send" : name
