/**
 * The runtime around this process: the pane that it runs in, the environment of later panes, a person who looks on,
 * and the bytes of a pane.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AttachOutcome, Primitives, RuntimeContext, Service, SetEnvOutcome } from "../Contract.ts"
import { unsupported } from "./capabilities.ts"
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

  const context = Effect.map(
    primitives.current ?? Effect.succeedNone,
    Option.match({
      onNone: (): RuntimeContext => ({ inRuntime: false }),
      onSome: (pane): RuntimeContext => ({ inRuntime: true, pane })
    })
  )

  const setEnvironment: Surroundings["setEnvironment"] = (variable) =>
    primitives.setEnvironment?.(variable) ??
      Effect.succeed<SetEnvOutcome>({ _tag: "Unsupported", reason: `${runtime} sets it at spawn only` })

  const attach: Surroundings["attach"] = (session) =>
    primitives.attach?.(session ?? {}) ??
      Effect.succeed<AttachOutcome>({ _tag: "Unsupported", reason: `${runtime} cannot attach` })

  return {
    context: operations.value("context", context),
    setEnvironment: operations.rare("setEnvironment")(setEnvironment),
    attach: operations.rare("attach")(attach),
    output: (pane) =>
      primitives.output === undefined
        ? Stream.fail(unsupported(primitives, "rawOutput"))
        : Stream.unwrap(Effect.map(targets.own(pane), primitives.output))
  }
}
