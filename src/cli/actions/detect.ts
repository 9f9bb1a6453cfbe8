/** What `paneway detect` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RuntimeConfig from "../../RuntimeConfig.ts"
import * as RuntimeDetect from "../../RuntimeDetect.ts"
import * as RuntimeRegistry from "../../RuntimeRegistry.ts"
import { Caller } from "../Caller.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"

const because = {
  explicit: "named by --runtime",
  variable: "named by a variable",
  config: "named by a config file",
  preferred: "the first choice of a config file, whose next are used where it cannot be",
  detected: "detected in the environment",
  default: "the default: nothing names another one and none is detected"
} as const

const whyNot = ({ missing, reason }: RuntimeDetect.Lost, found: string | undefined): string =>
  reason === "outranked" ? `${found} wins` : `incomplete, it lacks ${missing.join(" and ")}`

const told = (headline: string, evidence: ReadonlyArray<string>): ReadonlyArray<string> =>
  [headline].concat(evidence.map((fact) => `  ${fact}`))

export const execute = Effect.fnUntraced(function*({ json, runtime }: {
  readonly json: boolean
  readonly runtime: Option.Option<string>
}) {
  const { env } = yield* Caller
  const { decision, loaded } = yield* Selection.select(runtime, true)
  const { found, lost } = RuntimeDetect.detect(env)
  const detected = Option.getOrUndefined(found)
  const outside = yield* RuntimeRegistry.Outside
  const { remotes } = loaded.config
  const names = yield* Effect.provideService(outside.names, RuntimeConfig.Current, loaded.config)
  const isRemote = ([name, place]: readonly [string, string]) =>
    Object.hasOwn(remotes, name) && remotes[name]?.url === place
  const thirdParty = [...names].filter((one) => !isRemote(one))

  if (json) {
    return yield* Output.object({
      runtime: decision.runtime,
      reason: decision.reason,
      ...(decision.prefer === undefined ? {} : { prefer: decision.prefer }),
      evidence: decision.evidence,
      detected: detected ?? null,
      lost,
      thirdParty: Object.fromEntries(thirdParty),
      configFiles: loaded.files.map(({ path }) => path)
    })
  }
  const overruled = detected === undefined || decision.reason === "detected"
    ? []
    : told(`${detected.runtime}: detected, and overruled`, detected.evidence)
  yield* Output.lines([
    ...told(`${decision.runtime}: ${because[decision.reason]}`, decision.evidence),
    ...(decision.prefer ?? []).slice(1).map((name) => `${name}: a next choice`),
    ...overruled,
    ...lost.flatMap((seen) => told(`${seen.runtime}: seen, but ${whyNot(seen, detected?.runtime)}`, seen.evidence)),
    ...thirdParty.map(([name, place]) => `${name}: of a third party, ${place}`),
    ...[...names].filter(isRemote).map(([name, place]) => `${name}: a server, ${place}`)
  ])
})
