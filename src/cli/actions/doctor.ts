/** What `paneway doctor` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UnknownRuntime } from "../../RuntimeError.ts"
import * as RuntimeRegistry from "../../RuntimeRegistry.ts"
import { Caller } from "../Caller.ts"
import * as Output from "../output.ts"

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
  const entries = yield* RuntimeRegistry.Entries
  const available = yield* RuntimeRegistry.list
  const names = Option.match(runtime, { onNone: () => available, onSome: (name) => [name] })
  const runtimes = yield* Effect.forEach(names, (name) =>
    Effect.gen(function*() {
      const entry = entries.get(name)
      if (entry === undefined) return yield* new UnknownRuntime({ runtime: name, available })
      const { advice, facts, usable } = yield* entry.examine ?? Effect.succeed(untold)
      return { runtime: name, usable, facts, advice }
    }))

  if (!runtimes.every(({ usable }) => usable)) yield* caller.exitWith(unusable)
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
