/** Asking the server about targets: by ids only, in the life of the server that their handles come from. */
import * as Effect from "effect/Effect"
import { NativeFailure, type RuntimeUnavailable, type TargetNotFound } from "../../src/RuntimeError.ts"
import type { Handle } from "../../src/Target.ts"
import { absent, failureOf, NoAnswer, reissued, runtime, unavailable } from "./failures.ts"
import type { Command } from "./quoting.ts"
import type { Answer, Transport } from "./transport.ts"

/** Ids as tmux gives them out; nothing else reaches the server as a target. */
const ids = { PaneHandle: /^%\d+$/, WindowHandle: /^@\d+$/ } as const

/** A handle whose id tmux can have given out. */
export const isNative = ({ _tag, id }: Handle): boolean => ids[_tag].test(id)

/** Executes commands on a target; what they answer is not judged yet. */
export const onTarget = (
  transport: Transport,
  target: Handle,
  commands: ReadonlyArray<Command>
): Effect.Effect<Answer, NoAnswer | TargetNotFound> =>
  isNative(target)
    ? Effect.catchTag(transport.run(commands, target.incarnation), "OtherServer", () => Effect.fail(reissued(target)))
    : Effect.fail(absent(target))

/** Executes commands on a target, all of them. What failed changed nothing that repeating would not change. */
export const change = Effect.fnUntraced(
  function*(
    transport: Transport,
    operation: string,
    target: Handle,
    commands: ReadonlyArray<Command>
  ): Effect.fn.Return<ReadonlyArray<string>, RuntimeUnavailable | TargetNotFound | NativeFailure> {
    const { failure, outputs } = yield* Effect.catchTag(
      onTarget(transport, target, commands),
      "NoAnswer",
      (error) => Effect.fail(unavailable(error))
    )
    return failure === undefined ? outputs : yield* failureOf(operation, target, failure)
  }
)

/** Executes commands that mean no target. Not to be answered is what a server that is started anew looks like too. */
export const ask = Effect.fnUntraced(
  function*(
    transport: Transport,
    operation: string,
    commands: ReadonlyArray<Command>,
    isFine: (failure: string) => boolean = () => false
  ): Effect.fn.Return<Answer, RuntimeUnavailable | NativeFailure> {
    const answer = yield* Effect.catchTags(transport.run(commands), {
      NoAnswer: (error) => Effect.fail(unavailable(error)),
      OtherServer: () =>
        Effect.fail(unavailable(new NoAnswer({ reason: "lost", detail: "it was started anew", sent: true })))
    })
    return answer.failure === undefined || isFine(answer.failure)
      ? answer
      : yield* new NativeFailure({ runtime, operation, detail: answer.failure })
  }
)
