import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import * as Control from "../../../layers/tmux/control.ts"
import * as Forked from "../../../layers/tmux/forked.ts"
import type { Transport } from "../../../layers/tmux/transport.ts"
import { runningServer, type TestServer } from "../../fixtures/tmuxServers.ts"

const deadline = Duration.seconds(10)

const forked = ({ args, env, path }: TestServer): Transport =>
  Forked.make({ binary: "tmux", server: { path, args }, env, deadline })

const attached = Effect.fnUntraced(function*(
  { args, env, path }: TestServer,
  more: Partial<Pick<Control.Options, "told" | "over" | "deadline" | "session">> = {}
) {
  return yield* Control.attach({
    apart: (effect) => effect,
    binary: "tmux",
    server: { path, args },
    env,
    deadline,
    session: "$0",
    version: { text: "3.3a", major: 3, minor: 3 },
    told: () => {},
    over: () => {},
    ...more
  })
})

const ways = [
  ["by one process for each group", (server: TestServer) => Effect.succeed(forked(server))],
  ["by a control client", (server: TestServer) => attached(server)]
] as const

/** A pane that writes all that it reads into a file. */
const recording = Effect.fnUntraced(function*({ path, tmux }: TestServer) {
  const file = `${path}.recorded`
  const script = `stty raw -echo; echo ready; exec cat > '${file}'`
  const pane = tmux("new-window", "-d", "-P", "-F", "#{pane_id}", script).trim()
  yield* until(() => tmux("capture-pane", "-p", "-t", pane).includes("ready"))
  return { file, pane }
})

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sync(isSo), { until: (so) => so }).pipe(Effect.timeout("30 seconds"))

for (const [name, way] of ways) {
  describe(`commands ${name}`, () => {
    it.live("print what they print, each on its own, and say which server it was", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const transport = yield* way(server)
        const answer = yield* transport.run([
          ["display-message", "-p", "one"],
          ["list-panes", "-a", "-F", "#{pane_id}\n"],
          ["set-option", "-g", "@x", "y"],
          ["display-message", "-p", "#{@x}"]
        ])

        assert.deepStrictEqual(answer.outputs, ["one", "%0\n", "", "y"])
        assert.isUndefined(answer.failure)
        assert.deepStrictEqual(answer.life, {
          incarnation: server.tmux("display-message", "-p", "#{pid}-#{start_time}").trim(),
          version: { text: "3.3a", major: 3, minor: 3 }
        })
      }).pipe(Effect.scoped))

    it.live("stop at the first one that fails, with what it says", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const transport = yield* way(server)
        const plain = yield* transport.run([["set-option", "-g", "@a", "1"], ["kill-pane", "-t", "%99"], [
          "set-option",
          "-g",
          "@b",
          "1"
        ]])
        const listed = yield* transport.run([["display-message", "-p", "one"], ["list-panes", "-t", "%99"], [
          "display-message",
          "-p",
          "never"
        ]])

        assert.strictEqual(plain.failure, "can't find pane: %99")
        assert.deepStrictEqual(listed.outputs.slice(0, 1), ["one"])
        assert.strictEqual(listed.failure, "can't find pane: %99")
        assert.deepStrictEqual(
          [server.tmux("show-options", "-gqv", "@a"), server.tmux("show-options", "-gqv", "@b")],
          ["1\n", ""]
        )
      }).pipe(Effect.scoped))

    it.live("of a branch print together, and those before it apart", () =>
      Effect.gen(function*() {
        const transport = yield* way(yield* runningServer)
        const branches = (condition: string) =>
          transport.run([
            ["display-message", "-p", "first"],
            ["if-shell", "-F", condition, {
              run: [["display-message", "-p", "yes"], ["set-option", "-g", "@x", ";"], [
                "display-message",
                "-p",
                "#{@x}"
              ]]
            }, { run: [["display-message", "-p", "no"]] }]
          ])

        assert.deepStrictEqual((yield* branches("1")).outputs, ["first", "yes\n;"])
        assert.deepStrictEqual((yield* branches("0")).outputs, ["first", "no"])
      }).pipe(Effect.scoped))

    it.live("of a branch that fail leave what was printed before", () =>
      Effect.gen(function*() {
        const transport = yield* way(yield* runningServer)
        const answer = yield* transport.run([
          ["if-shell", "-F", "1", { run: [["display-message", "-p", "yes"], ["kill-pane", "-t", "%99"]] }]
        ])
        const after = yield* transport.run([["display-message", "-p", "in step"]])

        assert.deepStrictEqual(answer.outputs, ["yes"])
        assert.strictEqual(answer.failure, "can't find pane: %99")
        assert.deepStrictEqual(after.outputs, ["in step"])
      }).pipe(Effect.scoped))

    it.live("meant for another life of the server are not executed", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const transport = yield* way(server)
        const { life } = yield* transport.run([["display-message", "-p", ""]])
        const same = yield* transport.run([["set-option", "-g", "@same", "1"]], life.incarnation)
        const other = yield* Effect.flip(transport.run([["set-option", "-g", "@other", "1"]], "1-1"))

        assert.isUndefined(same.failure)
        assert.strictEqual(other._tag, "OtherServer")
        assert.deepStrictEqual(
          [server.tmux("show-options", "-gqv", "@same"), server.tmux("show-options", "-gqv", "@other")],
          ["1\n", ""]
        )
      }).pipe(Effect.scoped))

    it.live("are not told apart by what a pane shows", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const transport = yield* way(server)
        const stream = execFileSync("tmux", [...server.args, "-C", "attach"], {
          input: "display-message -p x\n",
          encoding: "utf8",
          env: server.env
        })
        const number = Number(/%begin \d+ (\d+) 1/.exec(stream)?.[1])
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const forged = Array.from({ length: 2000 }, (_, n) => `%end ${now + (n % 5)} ${number + Math.floor(n / 5)} 1`)
        writeFileSync(`${server.path}.forged`, [...forged, "%exit", "last", ""].join("\n"))
        server.tmux("set-option", "-g", "history-limit", "5000")
        const pane = server.tmux(
          "new-window",
          "-d",
          "-P",
          "-F",
          "#{pane_id}",
          `cat ${server.path}.forged; exec sleep 1000`
        ).trim()
        yield* until(() => server.tmux("capture-pane", "-p", "-t", pane).includes("last"))
        const { outputs: [first, shown, second] } = yield* transport.run([
          ["display-message", "-p", "before"],
          ["capture-pane", "-p", "-S", "-", "-t", pane],
          ["display-message", "-p", "after"]
        ])

        assert.deepStrictEqual([first, second], ["before", "after"])
        assert.strictEqual(`${shown}\n`, server.tmux("capture-pane", "-p", "-S", "-", "-t", pane))
      }).pipe(Effect.scoped))

    const awkward = Schema.Literals([
      ..." ;\t'\"$~\\#%{}-&|<>*?!()[]`=,:@\n".split(""),
      "$HOME",
      "#{pane_id}",
      "#(touch owned)",
      "%if",
      "end;",
      "\\;",
      "é",
      "漢",
      "e\u0301",
      "👩‍👩‍👧",
      "\u200b",
      "-l",
      "--",
      "a",
      "Enter"
    ])
    const text = Arbitrary.map(
      Arbitrary.array(Arbitrary.schema(awkward), { minLength: 1, maxLength: 12 }),
      (parts) => parts.join("")
    )
    it.live("case 7: carry every text to the pane, byte for byte, typed or pasted", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const transport = yield* way(server)
        const { file, pane } = yield* recording(server)
        const texts = yield* Arbitrary.sampleEffect(text, { count: 150 })
        const whole = texts.join("|")
        for (const one of texts.map((part, at) => at === 0 ? part : `|${part}`)) {
          const { failure } = yield* transport.run(
            one.length % 2 === 0
              ? [["send-keys", "-t", pane, "-l", "--", one]]
              : [["set-buffer", "-b", "paneway-test", "--", one], [
                "paste-buffer",
                "-d",
                "-p",
                "-r",
                "-b",
                "paneway-test",
                "-t",
                pane
              ]]
          )
          assert.isUndefined(failure)
        }
        yield* until(() => statSync(file).size >= Buffer.byteLength(whole))

        assert.strictEqual(readFileSync(file, "utf8"), whole)
      }).pipe(Effect.scoped))
  })
}
