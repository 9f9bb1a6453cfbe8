/** `--completions`: the flag is effect's own, what it prints is ours and is loaded when it is asked for. */
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const completions = (write: (text: string) => Effect.Effect<void>) =>
  GlobalFlag.Action({
    flag: GlobalFlag.Completions.flag,
    run: (shell, { builtIns, command }) =>
      Option.match(shell, {
        onNone: () => Effect.void,
        onSome: (shell) =>
          Effect.flatMap(
            Effect.promise(() => import("./completions/print.ts")),
            ({ print }) => print(shell, command, builtIns, write)
          )
      })
  })
