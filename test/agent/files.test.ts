import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import * as AgentDetector from "../../src/agent/AgentDetector.ts"
import * as AgentProfile from "../../src/agent/AgentProfile.ts"
import { screens } from "../fixtures/agentScreens.ts"

const own = `
name: minion
version: "1"
recognise:
  commands: [minion]
  screen: ["^minion ready$"]
composer:
  forms: [line]
  prompt: ["m>"]
  footer: 0
rules:
  - id: busy
    state: working
    region: tail
    any: ["^minion is busy$", "@spinner"]
`

const busier = (version: string, word: string) => `
extends: claude
version: "${version}"
rules:
  - { id: house, state: working, region: footer, any: ["${word}"] }
`

const footer = (word: string) => ["● It is renamed.", "", "─".repeat(40), "❯", "─".repeat(40), `  ${word}`]

const inDirectory = <A, E, R>(
  use: (write: (name: string, text: string) => Effect.Effect<void>, directory: string) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    return yield* use((name, text) => Effect.orDie(fs.writeFileString(`${directory}/${name}`, text)), directory)
  }))

layer(Layer.merge(NodeFileSystem.layer, NodePath.layer))("profiles in files", (it) => {
  it.effect("add an agent, in YAML or JSON", () =>
    inDirectory((write, directory) =>
      Effect.gen(function*() {
        yield* write("own.yml", own)
        yield* write(
          "more.json",
          JSON.stringify({ profiles: [{ extends: "codex", name: "codex-fork", version: "2" }] })
        )
        yield* write("notes.txt", "not a profile")
        const { files, problems, profiles } = yield* AgentProfile.load(directory)
        const minion = profiles.find(({ name }) => name === "minion")!

        assert.deepStrictEqual(problems, [])
        assert.deepStrictEqual(files.map(({ agents }) => agents), [["codex-fork"], ["minion"]])
        assert.strictEqual(profiles.length, AgentProfile.builtIn.length + 2)
        assert.strictEqual(AgentProfile.ofProgram(profiles, { name: "minion" }), minion)
        assert.strictEqual(AgentProfile.judge(minion, { rows: ["m>"] }).state, "idle")
        assert.deepInclude(AgentProfile.judge(minion, { rows: ["minion is busy"] }), {
          state: "working",
          rule: "busy",
          version: "1+5"
        })
        const fork = profiles.find(({ name }) => name === "codex-fork")!
        for (const screen of screens.filter(({ agent }) => agent === "codex")) {
          const verdict = AgentProfile.judge(fork, screen)
          assert.strictEqual(
            verdict.state,
            AgentProfile.judge(profiles.find(({ name }) => name === "codex")!, screen).state
          )
        }
      })
    ))

  it.effect("are refused by key, and the others count", () =>
    inDirectory((write, directory) =>
      Effect.gen(function*() {
        yield* write("a.yml", own.replace("@spinner", "@spiner"))
        yield* write("b.yml", own.replace("^minion is busy$", "("))
        yield* write("c.yml", own.replace("^minion is busy$", "(a+)+$"))
        yield* write("d.yml", own.replace("region: tail", "region: everywhere"))
        yield* write("e.yml", `${own}colour: blue\n`)
        yield* write("f.yml", "extends: nobody\nversion: '1'\n")
        yield* write("g.yml", "- [")
        yield* write("h.yml", own.replaceAll("minion", "sound"))
        const { problems, profiles } = yield* AgentProfile.load(directory)

        assert.deepStrictEqual(problems.map(({ field, reason }) => [field, /\/([a-g])\.yml: /.exec(reason)?.[1]]), [
          ["rules.0.any.1", "a"],
          ["rules.0.any.0", "b"],
          ["rules.0.any.0", "c"],
          ["rules.0.region", "d"],
          ["colour", "e"],
          ["extends", "f"],
          ["file", "g"]
        ])
        assert.isTrue(problems[0]!.message.includes("@spinner"))
        assert.isTrue(profiles.some(({ name }) => name === "sound"))
        assert.isFalse(profiles.some(({ name }) => name === "minion"))
      })
    ))

  it.effect("case 131: count from their change on, and a verdict names the version that was used", () =>
    inDirectory((write, directory) =>
      Effect.gen(function*() {
        const detector = yield* Effect.provide(AgentDetector.make, AgentDetector.layerProfiles(directory))
        const explain = (word: string) =>
          Effect.map(detector.explain({ rows: footer(word) }, { agent: "claude" }), (found) => {
            const { state, version } = Option.getOrThrow(found).verdict
            return [state, version.split("+")[0]]
          })
        const builtIn = AgentProfile.builtIn.find(({ name }) => name === "claude")!.version

        assert.deepStrictEqual(yield* explain("toiling"), ["idle", builtIn])
        yield* write("claude.yml", busier("mine-1", "toiling"))
        assert.deepStrictEqual(yield* explain("toiling"), ["idle", builtIn], "a second has not passed")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* explain("toiling"), ["working", "mine-1"])
        yield* write("claude.yml", busier("mine-2", "slaving away"))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* explain("toiling"), ["idle", "mine-2"])
        yield* write("claude.yml", busier("mine-3", "(broken"))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* explain("slaving away"), ["working", "mine-2"], "the last that was sound")
        const fs = yield* FileSystem.FileSystem
        yield* fs.remove(`${directory}/claude.yml`)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* explain("slaving away"), ["idle", builtIn])
      })
    ))
})
