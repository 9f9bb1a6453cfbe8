import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { PaneHandle } from "../../src/Target.ts"
import { paneway } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

/** A user whose commands go either way: a config file, which says nothing, calls for the whole program. */
const both = Effect.gen(function*() {
  const { env, home, run, script } = yield* user
  mkdirSync(join(home, "configured", "paneway"), { recursive: true })
  writeFileSync(join(home, "configured", "paneway", "config.yml"), "session: paneway\n")
  const calling = (more: Readonly<Record<string, string>>) => (words: ReadonlyArray<string>) =>
    Effect.map(paneway(words, { env: { ...env, ...more }, cwd: home }), ({ code, signal, stderr, stdout }) => ({
      code,
      signal,
      stderr,
      stdout: stdout.toString()
    }))
  /** Whether the whole program was loaded, as Node tells of each script that ran. */
  const tracked = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
    const folder = mkdtempSync(join(home, "coverage-"))
    const ended = yield* calling({ NODE_V8_COVERAGE: folder })(words)
    const ran = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")).join("")
    rmSync(folder, { recursive: true })
    return { ended, whole: /\/program-[^/"]+\.mjs"/.test(ran) }
  })
  const whole = calling({ XDG_CONFIG_HOME: join(home, "configured") })
  return { env, home, run, script, tracked, short: calling({}), whole }
})

/** Nothing that is sent changes what it shows. */
const quiet = "stty -echo; echo ready; exec cat >/dev/null"
const lines = "printf 'one\\n\\033[31mtwo\\033[0m %s\\n%0130d\\n' 'äöü 字🐈 \\302\\205' 7; exec sleep 1000"

describe.concurrent("the short way to the host", () => {
  it.live("prints and exits as the whole program does, and loads nothing of that", () =>
    Effect.gen(function*() {
      const { run, script, tracked, whole } = yield* both
      const spawn = (...words: ReadonlyArray<string>) =>
        Effect.map(run(["spawn", ...words]), ({ stdout }) => stdout.toString().trim())
      const pane = yield* spawn("--window", "sink", "--", "sh", "-c", quiet)
      const shown = yield* spawn("--", "sh", "-c", lines)
      const ended = yield* spawn("--", "sh", "-c", "echo last; exit 3")
      const gone = yield* spawn("--", "cat")
      yield* run(["close", gone])
      yield* run(["wait", "lifecycle", "pane-exited", ended])
      yield* run(["wait", "output", pane, "--match", "ready"])
      yield* run(["wait", "output", shown, "--match", "0007"])
      const [mark = ""] = yield* script(
        `paneway send --pane ${shown} --key Up --json | sed 's/.*"mark":"\\([^"]*\\)".*/\\1/'`
      )
      const [early = ""] = yield* script(
        `paneway capture --json ${ended} | sed 's/.*"mark":"\\([^"]*\\)".*/\\1/'`
      )
      const never = `${pane.slice(0, -3)}000`
      const short: ReadonlyArray<ReadonlyArray<string>> = [
        ["panes"],
        ["panes", "--json"],
        ["panes", "--runtime", "pty", "--json"],
        ["panes", "--session", "paneway"],
        ["panes", "--session", "nobody", "--json"],
        ["panes", "--session", ""],
        ["panes", "--window", "sink"],
        ["panes", "--window", "sink", "--json"],
        ["probe", pane],
        ["probe", pane, ended, gone, never, pane],
        ["probe", pane, gone, "--json"],
        ["describe", pane],
        ["describe", "--pane", ended],
        ["describe", ended, "--json"],
        ["describe", gone],
        ["capture", shown],
        ["capture", shown, "--json"],
        ["capture", shown, "--lines", "1"],
        ["capture", "--pane", shown, "--full", "--ansi"],
        ["capture", shown, "--full", "--ansi", "--json"],
        ["capture", shown, "--visible"],
        ["capture", ended, "--json"],
        ["capture", gone],
        ["capture", never, "--json"],
        ["wait", "output", shown, "--match", "two"],
        ["wait", "output", shown, "--match", "two", "--json"],
        ["wait", "output", shown, "--regex", "^t(.)o (.*)$", "--json", "--timeout", "2s"],
        ["wait", "output", ended, "--match", "last", "--after", early, "--json"],
        ["wait", "output", ended, "--match", "never"],
        ["wait", "output", ended, "--match", "never", "--json"],
        ["wait", "output", shown, "--match", "two", "--after", mark, "--timeout", "100ms"],
        ["wait", "output", shown, "--match", "never", "--timeout", "100ms", "--json"],
        ["wait", "output", gone, "--match", "x"],
        ["wait", "output", shown, "--match", "never", "--timeout", "0"],
        ["wait", "stable", shown, "--quiet", "0"],
        ["wait", "stable", shown, "--quiet", "50ms", "--json"],
        ["wait", "lifecycle", "pane-exists", pane],
        ["wait", "lifecycle", "pane-exists", "--pane", pane, "--json"],
        ["wait", "lifecycle", "pane-exited", ended],
        ["wait", "lifecycle", "pane-exited", ended, "--json"],
        ["wait", "lifecycle", "pane-exited", gone, "--json"],
        ["wait", "lifecycle", "pane-exited", "--pane", gone],
        ["wait", "lifecycle", "pane-exists", gone],
        ["wait", "lifecycle", "pane-exited", pane, "--timeout", "100ms"],
        ["send", "--pane", pane, "--key", "C-u"],
        ["send", "--pane", pane, "--key", "C-u", "--quiet"],
        ["send", "--pane", pane, "--cmd", "a line", "--json"],
        ["send", "--pane", pane, "--msg", "-n", "--msg", "--json", "--key", "Enter", "--runtime", "pty"],
        ["send", "--pane", pane, "--item", "msg=a=b", "--item", "key=Enter", "--item", "msg=", "--json"],
        ["send", "--pane", pane, "--msg", "two\nlines", "--key", "Enter"],
        ["send", "--pane", pane, "--msg", "two\nlines", "--allow-newlines", "--json"],
        ["send", "--pane", pane, "--cmd", "x", "--msg", "y"],
        ["send", "--pane", pane, "--key", "Nope"],
        ["send", "--pane", pane, "--key", "Nope", "--json"],
        ["send", "--pane", pane, "--msg", "a\u001bb", "--json"],
        ["send", "--pane", ended, "--cmd", "x", "--json"],
        ["send", "--pane", gone, "--cmd", "x"]
      ]
      const long: ReadonlyArray<ReadonlyArray<string>> = [
        ["capture", shown, "--visible", "--full"],
        ["capture", shown, "--lines", "0"],
        ["capture", shown, "--runtime", "tmux"],
        ["capture", shown, "--pane", shown],
        ["describe", `${shown}x`],
        ["panes", "--window", "no such window", "--json"],
        ["probe", pane, "nonsense"],
        ["send", "--pane", pane, "--key", "x", "--cmd", "y"],
        ["send", "--pane", pane, "--item", "text"],
        ["send", "--pane", pane, "--item", "msg=x", "--key", "Enter"],
        ["wait", "output", shown, "--regex", "("],
        ["wait", "output", shown, "--match", "x", "--regex", "x"],
        ["wait", "output", shown, "--match", "", "--json"],
        ["wait", "output", shown, "--match", "x", "--timeout", "soon"],
        ["wait", "output", shown, "--match", "x", "--after", "m1.nonsense"],
        ["wait", "output", pane, "--match", "x", "--after", mark],
        ["wait", "stable", shown, "--quiet", "-1"],
        ["wait", "agent", shown, "--state", "idle", "--timeout", "0"],
        ["wait", "lifecycle", "pane-exists"],
        ["wait", "lifecycle", "window-exists", "--pane", pane],
        ["wait", "lifecycle", "window-exists", "sink", "--json"]
      ]
      const all = [
        ...short.map((words) => [words, false] as const),
        ...long.map((words) => [words, true] as const)
      ]
      yield* Effect.forEach(
        all,
        Effect.fnUntraced(function*([words, expected]) {
          const [one, other] = yield* Effect.all([tracked(words), whole(words)], { concurrency: 2 })
          assert.deepStrictEqual(one.ended, other, words.join(" "))
          assert.strictEqual(one.whole, expected, words.join(" "))
        }),
        { concurrency: 4, discard: true }
      )
    }), 240_000)

  it.live("types once, whole lines, and submits with a key alone", () =>
    Effect.gen(function*() {
      const { run } = yield* user
      const pane = (yield* run(["spawn", "--", "sh", "-c", "stty -echo; exec cat"])).stdout.toString().trim()
      assert.strictEqual((yield* run(["send", "--pane", pane, "--msg", "half ", "--msg", "-n"])).code, 0)
      assert.strictEqual((yield* run(["send", "--pane", pane, "--key", "Enter", "--quiet"])).code, 0)
      assert.strictEqual((yield* run(["send", "--pane", pane, "--cmd", "line", "--key", "Enter"])).code, 0)
      assert.strictEqual((yield* run(["wait", "output", pane, "--match", "line"])).code, 0)
      assert.strictEqual((yield* run(["capture", pane])).stdout.toString(), "half -n\nline\n")
    }), 60_000)

  it.live(
    "ends as the whole program does when it is interrupted, or its output is taken by nobody",
    () =>
      Effect.gen(function*() {
        const { script } = yield* both
        const [pane = ""] = yield* script("paneway spawn -- cat")
        for (const configured of ["", "export XDG_CONFIG_HOME=$PWD/configured;"]) {
          const said = yield* script(`
          ${configured}
          paneway panes > /dev/full 2> told; echo $?; cat told
          paneway panes --json > /dev/full 2> told; echo $?; cat told
          (sleep 1; paneway panes; echo $? > code) | true; cat code
          paneway wait output ${pane} --match never & echo
          until paneway host status --json | grep -q '"clients":2'; do :; done
          kill -TERM $!; wait $!; echo $?
        `)
          assert.deepStrictEqual([said[0], said[2], ...said.slice(4)], ["1", "1", "141", "", "130", "0"], configured)
          assert.match(said[1] ?? "", /^paneway: standard output cannot be written: .*ENOSPC/)
          assert.include(said[3], "\"_tag\":\"OutputFailed\"")
        }
      }),
    60_000
  )
})

const target = new PaneHandle({ runtime: "pty", host: "here", scope: "/run/host.sock", id: "p1", incarnation: "1" })
const pane = `${target}`

/** A host that answers as told; undefined: nothing. It remembers what it was asked. */
const strange = Effect.fnUntraced(function*(home: string, answer: (tag: string) => object | undefined) {
  mkdirSync(join(home, "paneway"), { mode: 0o700 })
  const asked: Array<string> = []
  const known: Readonly<Record<string, object>> = {
    hello: {
      protocol: 1,
      version: "0",
      pid: 1,
      runtime: "pty",
      sendProfile: "plain-pane",
      capabilities: {}
    },
    resolve: {
      _tag: "Pane",
      handle: { ...target },
      window: { ...target, _tag: "WindowHandle" },
      active: true
    }
  }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((socket) => {
        let text = ""
        socket.on("error", () => {})
        socket.on("data", (data) => {
          const lines = `${text}${data.toString()}`.split("\n")
          text = lines.pop() ?? ""
          for (const { _tag, id, tag } of lines.map((line) => JSON.parse(line))) {
            if (_tag !== "Request") continue
            asked.push(tag)
            const told = answer(tag) ?? (known[tag] && { _tag: "Exit", exit: { _tag: "Success", value: known[tag] } })
            if (told !== undefined && "gone" in told) socket.destroy()
            else if (told !== undefined && !("silent" in told)) {
              socket.write(`${JSON.stringify({ ...told, requestId: id })}\n`)
            }
          }
        })
      })
    ),
    (server) => Effect.sync(() => server.close())
  )
  yield* Effect.callback<void>((resume) =>
    void server.listen(join(home, "paneway", "host.sock"), () => resume(Effect.void))
  )
  return asked
})

const failure = (error: object) => ({ _tag: "Exit", exit: { _tag: "Failure", cause: [{ _tag: "Fail", error }] } })
const success = (value: unknown) => ({ _tag: "Exit", exit: { _tag: "Success", value } })

describe.concurrent("a host that takes connections and says nothing", () => {
  it.live("is waited for once, and told as the whole program tells it", () =>
    Effect.gen(function*() {
      const { home, short, whole } = yield* both
      const asked = yield* strange(home, () => ({ silent: true }))
      const all = [["capture", pane, "--json"], ["send", "--pane", pane, "--cmd", "x"], ["probe", pane, "--json"], [
        "panes"
      ]]
      const ones = yield* Effect.forEach(all, short, { concurrency: "unbounded" })
      const once = [...asked]
      const others = yield* Effect.forEach(all, whole, { concurrency: "unbounded" })

      assert.strictEqual(once.filter((tag) => tag === "hello").length, all.length)
      for (const [at, words] of all.entries()) {
        const one = ones[at]
        assert.deepStrictEqual(one, others[at], words.join(" "))
        assert.include(`${one?.stdout}${one?.stderr}`, "does not answer within 5 s")
      }
      assert.notInclude(asked, "send")
    }), 120_000)
})

describe.concurrent("a host that answers otherwise than the protocol says", () => {
  it.live.each([
    { what: "says nothing of it", answer: success(null) },
    { what: "tells no outcome", answer: success({ stage: "send" }) },
    { what: "failed in an unknown way", answer: { _tag: "Exit", exit: { _tag: "Failure", cause: [{ _tag: "Die" }] } } },
    { what: "has a failure of another version", answer: failure({ _tag: "Tired", pane }) },
    { what: "gave up", answer: { _tag: "Defect", defect: "lost" } },
    { what: "went away", answer: { gone: true } }
  ])("and $what leaves a send in doubt, and is not asked again", ({ answer }) =>
    Effect.gen(function*() {
      const { home, short, whole } = yield* both
      const asked = yield* strange(home, (tag) => tag === "send" ? answer : undefined)
      const words = ["send", "--pane", pane, "--cmd", "once"]
      const one = yield* short(words)
      assert.deepStrictEqual(asked.toSorted(), ["hello", "resolve", "send"])
      assert.deepStrictEqual(one, yield* whole(words))
      assert.deepStrictEqual([one.code, one.stdout], [7, ""])
      assert.match(one.stderr, /^paneway: delivery to pty:p1~\w+ is in doubt[^\n]*\n$/)
    }), 60_000)

  it.live.each([
    { what: "has a failure of another version", answer: failure({ _tag: "Tired", pane }) },
    { what: "says nothing", answer: success(null) },
    { what: "went away", answer: { gone: true } }
  ])("and $what makes a question fail as the whole program has it", ({ answer }) =>
    Effect.gen(function*() {
      const { home, short, whole } = yield* both
      yield* strange(home, (tag) => tag === "hello" || tag === "resolve" ? undefined : answer)
      for (const words of [["capture", pane], ["panes"], ["wait", "output", pane, "--match", "x"]]) {
        const one = yield* short(words)
        assert.deepStrictEqual(one, yield* whole(words), words.join(" "))
        assert.isAbove(one.code ?? 0, 1)
      }
    }), 60_000)

  it.live("ends a wait when its time is over", () =>
    Effect.gen(function*() {
      const { home, short, whole } = yield* both
      yield* strange(home, (tag) => tag.startsWith("wait") ? { silent: true } : undefined)
      for (const words of [["output", pane, "--match", "x"], ["stable", pane, "--quiet", "1s"]]) {
        const line = ["wait", ...words, "--timeout", "1s"]
        const [one, other] = yield* Effect.all([short(line), whole(line)], { concurrency: 2 })
        assert.deepStrictEqual(one, other, words.join(" "))
        assert.strictEqual(one.code, 8)
      }
    }), 60_000)

  it.live(
    "and knows another pane by the name that was given is left to the whole program",
    () =>
      Effect.gen(function*() {
        const { home, tracked } = yield* both
        const absent = failure({ _tag: "TargetNotFound", target: "x", reason: "absent" })
        yield* strange(home, (tag) => tag === "capture" ? absent : undefined)
        assert.isTrue((yield* tracked(["capture", "pty:p1~0123456789"])).whole)
      }),
    60_000
  )
})
