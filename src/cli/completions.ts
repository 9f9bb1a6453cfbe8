/** `--completions`: the flag is effect's own, what it prints is ours and is loaded when it is asked for. */
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Caller } from "./Caller.ts"

export const completions = (caller: Caller["Service"]) =>
  GlobalFlag.Action({
    flag: GlobalFlag.Completions.flag,
    run: (shell, { builtIns, command }) =>
      Option.match(shell, {
        onNone: () => Effect.void,
        onSome: (shell) =>
          Effect.flatMap(
            Effect.promise(() => import("./completions/print.ts")),
            ({ print }) => print(shell, command, caller, builtIns)
          )
      })
  })
