/** Prints what a shell needs to complete the command line. It is made from the commands that there are. */
import type * as CommandType from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as RuntimeRegistry from "../../RuntimeRegistry.ts"
import * as Bash from "./bash.ts"
import * as Fish from "./fish.ts"
import * as Tree from "./tree.ts"
import * as Zsh from "./zsh.ts"

const generators = { bash: Bash.script, zsh: Zsh.script, fish: Fish.script }

export const print = Effect.fnUntraced(function*(
  shell: Completions.Shell,
  command: CommandType.Command.Any,
  builtIns: ReadonlyArray<GlobalFlag.BuiltIn>,
  write: (text: string) => Effect.Effect<void>
) {
  const tree = Tree.make(command, builtIns, yield* RuntimeRegistry.list)
  yield* write(
    shell === "powershell"
      ? Completions.generate(tree.name, shell, tree)
      : generators[shell](tree.name, Tree.places(tree))
  )
})
