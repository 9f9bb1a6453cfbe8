/** What `paneway doctor` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RuntimeConfig from "../../RuntimeConfig.ts"
import * as RuntimeRegistry from "../../RuntimeRegistry.ts"
import { Caller } from "../Caller.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"

/** As RuntimeUnavailable has it. */
const unusable = 3

const untold: RuntimeRegistry.Examination = {
  usable: true,
  facts: ["whether it can be used shows when it is used"],
  advice: []
}

export const execute = Effect.fnUntraced(function*({ json, runtime }: {
  readonly json: boolean
  readonly runtime: Option.Option<string>
}) {
  const caller = yield* Caller
  const { decision, loaded: { config } } = yield* Selection.select(runtime, true)
  const examined = Effect.gen(function*() {
    const names = Option.match(runtime, {
      onNone: () => RuntimeRegistry.list,
      onSome: (name) => Effect.succeed([name])
    })
    return yield* Effect.forEach(yield* names, (name) =>
      Effect.gen(function*() {
        const { examine } = yield* RuntimeRegistry.find(name)
        const { advice, facts, usable } = yield* examine ?? Effect.succeed(untold)
        return { runtime: name, usable, facts, advice }
      }))
  })
  const runtimes = yield* Effect.provideService(examined, RuntimeConfig.Current, config)

  // the others may be missing: who does not use them misses nothing
  const meant = decision.prefer ?? [decision.runtime]
  if (!runtimes.some(({ runtime: name, usable }) => usable && meant.includes(name))) yield* caller.exitWith(unusable)
  if (json) return yield* Output.object({ runtimes })
  yield* Output.lines(
    runtimes.flatMap(({ advice, facts, runtime: name, usable }) =>
      [`${name}: ${usable ? "can be used" : "cannot be used"}`].concat(
        facts.map((fact) => `  ${fact}`),
        advice.map((what) => `  to do: ${what}`)
      )
    )
  )
})
