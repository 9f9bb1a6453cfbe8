/** Prints what a shell needs to complete the command line. It is made from the commands that there are. */
import type * as CommandType from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as RuntimeRegistry from "../../RuntimeRegistry.ts"
import { Caller } from "../Caller.ts"
import * as Output from "../output.ts"
import * as Bash from "./bash.ts"
import * as Fish from "./fish.ts"
import * as Tree from "./tree.ts"
import * as Zsh from "./zsh.ts"

const generators = { bash: Bash.script, zsh: Zsh.script, fish: Fish.script }

export const print = Effect.fnUntraced(function*(
  shell: Completions.Shell,
  command: CommandType.Command.Any,
  caller: Caller["Service"],
  builtIns: ReadonlyArray<GlobalFlag.BuiltIn>
) {
  const tree = Tree.make(command, builtIns, yield* RuntimeRegistry.list)
  const script = shell === "powershell"
    ? Completions.generate(tree.name, shell, tree)
    : generators[shell](tree.name, Tree.places(tree))
  yield* Effect.orDie(Effect.provideService(Output.text(script), Caller, caller))
})
