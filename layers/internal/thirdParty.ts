/** Adapters of third parties: loaded when they are asked for, and checked before they are used. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Service } from "../../src/Contract.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import { contractVersion, type Entry, type Examination } from "../../src/RuntimeRegistry.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

/** A module that takes longer to load hangs. */
const loading = "10 seconds"

const member = { function: "function", value: "object", name: "string" } as const

/** What a service of the contract has, by the kind of each. */
const members: Readonly<Record<keyof Service, (typeof member)[keyof typeof member]>> = {
  runtime: member.name,
  sendProfile: member.name,
  capabilities: member.value,
  context: member.value,
  resolve: member.function,
  ensureWindow: member.function,
  listSessions: member.value,
  closeSession: member.function,
  listWindows: member.function,
  closeWindow: member.function,
  preparePane: member.function,
  listPanes: member.function,
  closePane: member.function,
  resize: member.function,
  focus: member.function,
  spawn: member.function,
  send: member.function,
  sendCommand: member.function,
  sendText: member.function,
  sendKeys: member.function,
  typeInto: member.function,
  run: member.function,
  capture: member.function,
  output: member.function,
  waitOutput: member.function,
  waitStable: member.function,
  waitAgent: member.function,
  waitLifecycle: member.function,
  agents: member.function,
  events: member.value,
  probe: member.function,
  describe: member.function,
  setEnvironment: member.function,
  attach: member.function
}

/** Where the module of a runtime is: `place` in words, `specifier` for the import. */
export interface Origin {
  readonly runtime: string
  readonly place: string
  readonly specifier: string
}

/** What a runtime's name may be: it stands in handles and in names of packages. */
export const isName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]*$/i.test(name)

const described = (cause: unknown): string => Predicate.isError(cause) ? cause.message : String(cause)

const refusal = ({ place, runtime }: Origin) => (reason: RuntimeUnavailable["reason"], what: string, cause?: unknown) =>
  new RuntimeUnavailable({
    runtime,
    reason,
    detail: `its adapter, ${place}, ${what}`,
    ...(cause === undefined ? {} : { cause })
  })

const howTo = "it has to export `entry`, made by RuntimeRegistry.entry"

const isService = (value: unknown): value is Service =>
  Predicate.isObject(value) &&
  Object.entries(members).every(([name, kind]) => {
    const one: unknown = name in value ? value[name] : undefined
    // a value may be a function that has properties too
    return kind === "object" ? Predicate.isObjectKeyword(one) : typeof one === kind
  })

// what these are of is claimed by the contract, and checked when it shows
const isAdapter = (value: unknown): value is Layer.Layer<TerminalRuntime, RuntimeUnavailable> => Layer.isLayer(value)
const isEffect = (value: unknown): value is Effect.Effect<unknown, RuntimeUnavailable> => Effect.isEffect(value)
const isUnavailable = Schema.is(RuntimeUnavailable)

/** What went wrong in code that is not ours. What it said itself is kept. */
const failed =
  (origin: Origin, what: string) =>
  (cause: Cause.Cause<RuntimeUnavailable>): Effect.Effect<never, RuntimeUnavailable> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    return Effect.fail(
      isUnavailable(error)
        ? error
        : refusal(origin)("missing-program", `${what}: ${described(error)}`, error)
    )
  }

/** The layer with the service alone, under its own name, and with no failure but the one that a runtime may have. */
const checked = (origin: Origin, layer: Layer.Layer<TerminalRuntime, RuntimeUnavailable>) =>
  Layer.effect(
    TerminalRuntime,
    Effect.gen(function*() {
      const refuse = refusal(origin)
      const context = yield* Effect.catchCause(Layer.build(layer), failed(origin, "could not be opened"))
      const service: unknown = Option.getOrUndefined(Context.getOption(context, TerminalRuntime))
      if (!isService(service)) {
        return yield* refuse("unsupported-version", "does not provide the service TerminalRuntime of this version")
      }
      return service.runtime === origin.runtime
        ? service
        : yield* refuse("unsupported-version", `calls its runtime ${service.runtime}: use it under that name`)
    })
  )

const exported = Effect.fnUntraced(function*(origin: Origin) {
  const refuse = refusal(origin)
  if (!isName(origin.runtime)) {
    return yield* refuse(
      "refused",
      "has a name that a handle cannot hold: letters, digits, '.', '_' and '-' can be used"
    )
  }
  const module: unknown = yield* Effect.tryPromise({
    try: () => import(/* @vite-ignore */ origin.specifier),
    catch: (cause) => refuse("missing-program", `cannot be loaded: ${described(cause)}`, cause)
  }).pipe(Effect.timeoutOrElse({
    duration: loading,
    orElse: () => Effect.fail(refuse("timed-out", "takes longer than 10 s to load"))
  }))
  if (!Predicate.hasProperty(module, "entry")) return yield* refuse("unsupported-version", `has no entry: ${howTo}`)
  const { entry } = module
  if (!Predicate.hasProperty(entry, "contractVersion") || !Predicate.hasProperty(entry, "load")) {
    return yield* refuse("unsupported-version", `has an entry of another shape: ${howTo}`)
  }
  if (entry.contractVersion !== contractVersion) {
    return yield* refuse(
      "unsupported-version",
      `is made for version ${String(entry.contractVersion)} of the contract, and this Paneway has version ` +
        `${contractVersion}: use versions of both that fit`
    )
  }
  const { load } = entry
  if (!isEffect(load)) return yield* refuse("unsupported-version", `has an entry of another shape: ${howTo}`)
  return {
    load,
    examine: Predicate.hasProperty(entry, "examine") && isEffect(entry.examine) ? entry.examine : undefined
  }
})

const isExamination = Schema.is(Schema.Struct({
  usable: Schema.Boolean,
  facts: Schema.Array(Schema.String),
  advice: Schema.Array(Schema.String)
}))

const untold = { usable: true, advice: [] }

/** Nothing is imported before the entry is used. Whatever is wrong with the module is `RuntimeUnavailable`. */
export const entry = (origin: Origin): Entry => ({
  load: Effect.gen(function*() {
    const { load } = yield* exported(origin)
    const layer = yield* Effect.catchCause(load, failed(origin, "could not be loaded"))
    return isAdapter(layer)
      ? checked(origin, layer)
      : yield* refusal(origin)("unsupported-version", "gives no layer when it is loaded")
  }),
  examine: Effect.gen(function*() {
    const { examine } = yield* exported(origin)
    const found: Examination = { ...untold, facts: [`its adapter is ${origin.place}`] }
    if (examine === undefined) return found
    const told = yield* Effect.catchCause(examine, failed(origin, "could not look"))
    return isExamination(told)
      ? { ...told, facts: [...found.facts, ...told.facts] }
      : yield* refusal(origin)("unsupported-version", "looks, and does not say what it found")
  }).pipe(
    Effect.catch(({ detail }) =>
      Effect.succeed({ usable: false, facts: ["its adapter is of no use"], advice: [detail] })
    )
  )
})
