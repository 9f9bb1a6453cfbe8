/**
 * The runtime around this process: the pane that it runs in, the environment of later panes, a person who looks on,
 * and the bytes of a pane.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AskError, AttachOutcome, Primitives, RuntimeContext, Service, SetEnvOutcome } from "../Contract.ts"
import type { PaneHandle } from "../Target.ts"
import { makeCapabilities, unsupported } from "./capabilities.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"

/**
 * The operations on what is around the panes.
 *
 * @internal
 */
export type Surroundings = Pick<Service, "context" | "setEnvironment" | "attach" | "output">

/**
 * What the adapter cannot do is answered or refused here.
 *
 * @internal
 */
export const makeSurroundings = ({ operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly targets: Targets
}): Surroundings => {
  const { runtime } = primitives
  const capabilities = makeCapabilities(primitives)

  /** A pane that has no record any more is still the pane of this process. */
  const inside = (pane: PaneHandle): Effect.Effect<RuntimeContext, AskError> =>
    Effect.map(targets.find(pane), ({ session, window }): RuntimeContext => ({
      inRuntime: true,
      pane,
      window,
      ...(session === undefined ? {} : { session })
    })).pipe(
      Effect.catchTag("TargetNotFound", () => Effect.succeed<RuntimeContext>({ inRuntime: true, pane }))
    )

  const context = Effect.flatMap(
    primitives.current ?? Effect.succeedNone,
    Option.match({ onNone: () => Effect.succeed<RuntimeContext>({ inRuntime: false }), onSome: inside })
  )

  const setEnvironment: Surroundings["setEnvironment"] = (variable) =>
    primitives.setEnvironment === undefined || capabilities.setEnvironment === "none"
      ? Effect.succeed<SetEnvOutcome>({ _tag: "Unsupported", reason: `${runtime} sets it at spawn only` })
      : primitives.setEnvironment(variable)

  const attach: Surroundings["attach"] = (session) =>
    primitives.attach === undefined || capabilities.attach === "none"
      ? Effect.succeed<AttachOutcome>({ _tag: "Unsupported", reason: `${runtime} cannot attach` })
      : primitives.attach(session ?? {})

  const output: Surroundings["output"] = (pane) =>
    primitives.output === undefined || capabilities.rawOutput === "none"
      ? Stream.fail(unsupported(primitives, "rawOutput"))
      : Stream.unwrap(Effect.map(targets.own(pane), primitives.output))

  return {
    context: operations.value("context", context),
    setEnvironment: operations.rare("setEnvironment")(setEnvironment),
    attach: operations.rare("attach")(attach),
    output: operations.stream("output", output)
  }
}
