import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentState } from "../../src/AgentState.ts"
import * as Wait from "../../src/cli/commands/wait.ts"
import * as Syntax from "../../src/cli/syntax/command.ts"
import * as Flags from "../../src/cli/syntax/flags.ts"
import { parse } from "../../src/cli/syntax/parse.ts"
import type { Flag, Given, Spec } from "../../src/cli/syntax/spec.ts"
import * as Table from "../../src/cli/table.ts"
import * as Send from "../../src/Send.ts"

const silent = CliOutput.layerPresenter({ present: () => Effect.void })

/** What `effect/cli` reads; undefined where it refuses. */
const slow = Effect.fnUntraced(function*(spec: Spec, words: ReadonlyArray<string>) {
  const seen: Array<Given> = []
  const command = Syntax.command(spec, words, (given) => Effect.sync(() => void seen.push(given)))
  yield* Command.runWith(command, { version: "0" })(Syntax.joined(spec, words)).pipe(
    Effect.ignore,
    Effect.provide(Layer.merge(NodeServices.layer, silent))
  )
  return seen[0]
})

const comparable = (given: Given | undefined) =>
  given && { flags: given.flags, operands: given.operands, order: given.order }

const valueOf = ({ choices }: Flag) => choices?.[0] ?? "a value"
const wordsOf = ([name, flag]: readonly [string, Flag]) =>
  flag.kind === "switch" ? [`--${name}`] : [`--${name}`, valueOf(flag)]
const operandsOf = ({ operands }: Spec) => operands.map(({ choices, name }) => choices?.[0] ?? name)
const needed = ({ flags }: Spec) => Object.entries(flags).filter(([, flag]) => flag.required === true)

/** Lines of a command that try each of its flags in each way that there is. */
const linesOf = (spec: Spec): ReadonlyArray<ReadonlyArray<string>> => {
  const base = [...needed(spec).flatMap(wordsOf), ...operandsOf(spec)]
  const all = Object.entries(spec.flags)
  return [
    [],
    base,
    [...base, "one", "too many", "by far"],
    [...base, "--nonsense"],
    [...all.flatMap(wordsOf), ...operandsOf(spec)],
    [...operandsOf(spec), ...all.toReversed().flatMap(wordsOf)],
    ...all.flatMap(([name, flag]) => {
      const others = [...needed(spec).filter(([other]) => other !== name).flatMap(wordsOf), ...operandsOf(spec)]
      const value = valueOf(flag)
      return flag.kind === "switch"
        ? [[...others, `--${name}`], [`--${name}`, ...others], [...others, `--${name}`, `--${name}`]]
        : [
          others,
          [...others, `--${name}`],
          [...others, `--${name}=${value}`],
          [`--${name}`, value, ...others],
          [...others, `--${name}=`],
          [...others, `--${name}`, ""],
          [...others, `--${name}`, "-n"],
          [...others, `--${name}`, "--json"],
          [...others, `--${name}`, "--help"],
          [...others, `--${name}`, "a=b"],
          [...others, `--${name}`, value, `--${name}`, value]
        ]
    })
  ]
}

describe("the table of commands", () => {
  for (const { spec } of Table.verbs) {
    it.effect(`${spec.path.join(" ")} is read alike by the fast parser and by effect/cli`, () =>
      Effect.gen(function*() {
        for (const words of linesOf(spec)) {
          assert.deepStrictEqual(comparable(parse(spec, words)), comparable(yield* slow(spec, words)), words.join(" "))
        }
      }))
  }

  it("takes the word after a flag as its value, whatever it begins with", () => {
    const send = Table.find(["send"])
    const given = send && parse(send.verb.spec, ["--pane", "%1", "--msg", "--", "--msg", "-h", "--key", "--cmd"])
    assert.deepStrictEqual(given?.flags, { pane: ["%1"], msg: ["--", "-h"], key: ["--cmd"] })
    assert.deepStrictEqual(given?.order, ["pane", "msg", "msg", "key"])
  })

  it("leaves help, completions and every wrong line to effect/cli", () => {
    const line = ["--pane", "%1"]
    const send = Table.find(["send"])
    for (
      const more of [["--help"], ["-h"], ["--completions", "bash"], ["--version"], ["--bogus"], ["word"], ["--cmd"]]
    ) {
      assert.isUndefined(send && parse(send.verb.spec, [...line, ...more]), more.join(" "))
    }
    assert.isUndefined(Table.read(["detect"]))
    assert.isUndefined(Table.read(["wait"]))
  })

  it("gives what follows -- to the program of spawn, and takes it for an operand elsewhere", () => {
    const spawn = Table.find(["spawn"])
    const type = Table.find(["type"])
    assert.deepStrictEqual(spawn && parse(spawn.verb.spec, ["--clean", "--", "ls", "--", "-l"])?.tail, [
      "ls",
      "--",
      "-l"
    ])
    assert.deepStrictEqual(type && parse(type.verb.spec, ["%1", "--", "-n"])?.operands, ["%1", "-n"])
  })

  it("explains each command and each flag, with an example that is well-formed", () => {
    for (const { spec } of Table.verbs) {
      const name = spec.path.join(" ")
      assert.isAbove(spec.examples.length, 0, name)
      for (const { about } of Object.values<Flag>(spec.flags)) assert.match(about, /^\S.{8,130}$/, name)
      for (const line of spec.about) assert.isAtMost(line.length, 118, line)
      assert.include(spec.about.join(" "), "Exit codes: ", name)
    }
  })
})

describe("what a flag offers", () => {
  it("is what the contract knows", () => {
    assert.deepStrictEqual(Flags.sending.profile.choices, [...Send.SendProfile.literals])
    assert.deepStrictEqual(Flags.sending.require.choices, [...Send.Evidence.literals])
    assert.deepStrictEqual(Wait.agent.flags.state.choices, [...AgentState.literals])
  })
})
