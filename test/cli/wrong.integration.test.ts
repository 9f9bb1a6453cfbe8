import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { user } from "../fixtures/user.ts"

type Wrong = readonly [code: number, told: RegExp, ...words: ReadonlyArray<string>]

const needsValue = (name: string) => new RegExp(`--${name} needs a value after it: \\w+ \\(see paneway `)

describe("a wrong command line", () => {
  it.live("exits with the documented code, and says in one line what to do", () =>
    Effect.gen(function*() {
      const { run } = yield* user
      const handle = (...words: ReadonlyArray<string>) =>
        Effect.map(run(words), ({ stdout }) => stdout.toString().trim())
      const pane = yield* handle("spawn", "--", "cat")
      const window = yield* handle("ensure", "build")
      const gone = yield* handle("spawn", "--", "cat")
      yield* run(["close", gone])
      const all: ReadonlyArray<Wrong> = [
        [2, /unknown command focsu, did you mean focus\? \(see paneway --help\)/, "focsu"],
        [2, /unknown flag --bogus \(see paneway --help\)/, "--bogus"],
        [2, /put flags after the verb, as in: paneway panes --runtime tmux/, "--runtime", "pty", "panes"],
        [2, /a pane is missing: give its handle/, "capture"],
        [4, /list what exists/, "capture", "nope"],
        [4, /unparsable \(give a printed handle/, "capture", ""],
        [2, /is the handle of a window/, "capture", window],
        [2, /"extra" is too much \(see paneway capture --help\)/, "capture", pane, "extra"],
        [2, /name one pane/, "capture", pane, "--pane", pane],
        [2, /--lines cannot be "-3": expected a number from 1/, "capture", pane, "--lines", "-3"],
        [2, /--lines cannot be "1.5"/, "capture", pane, "--lines", "1.5"],
        [2, needsValue("lines"), "capture", pane, "--lines"],
        [2, /exclude each other/, "capture", pane, "--visible", "--full"],
        [3, /unknown runtime nope \(choose one of: /, "capture", "p1", "--runtime", "nope"],
        [2, /--runtime tmux contradicts pty:/, "capture", pane, "--runtime", "tmux"],
        [2, needsValue("pane"), "send", "--pane"],
        [2, /--pane is missing \(name the pane first, as in: paneway send --pane /, "send", "--cmd", "x"],
        [2, /--pane is missing \(name the pane first/, "send", pane, "--cmd", "x"],
        [6, /control character .* \(remove it\)/, "send", "--pane", pane, "--msg", "a\u0007b"],
        [2, /nothing to send: give --cmd/, "send", "--pane", pane],
        [2, needsValue("cmd"), "send", "--pane", pane, "--cmd"],
        [2, /put them after it/, "send", "--pane", pane, "--key", "Enter", "--cmd", "x"],
        [2, /expected msg=TEXT or key=NAME/, "send", "--pane", pane, "--item", "x"],
        [2, /cannot be read \(NotFound\)/, "send", "--pane", pane, "--file", "/no-such-place"],
        [2, /it is a directory/, "send", "--pane", pane, "--file", "/"],
        [2, /expected "plain-pane" \| "agent-aware"/, "send", "--pane", pane, "--cmd", "x", "--profile", "p"],
        [6, /unknown key "Foo" \(use a key that exists\)/, "send", "--pane", pane, "--key", "Foo"],
        [6, /send one line, or pass --allow-newlines\)/, "send", "--pane", pane, "--cmd", "a\nb"],
        [6, /nothing to send/, "send", "--pane", pane, "--cmd", ""],
        [4, /use a current handle/, "send", "--pane", gone, "--cmd", "x"],
        [2, /the target is missing/, "type"],
        [2, /"b" is too much/, "type", pane, "a", "b"],
        [2, /give one of --match and --regex/, "wait", "output", pane],
        [2, /--regex: Invalid regular expression/, "wait", "output", pane, "--regex", "("],
        [2, /such as 500ms, 30s/, "wait", "output", pane, "--match", "x", "--timeout", "soon"],
        [2, /give the mark that/, "wait", "output", pane, "--match", "x", "--after", "m1"],
        [
          8,
          /wait again(?:, or look at what it showed last)?\)/,
          "wait",
          "output",
          pane,
          "--match",
          "x",
          "--timeout",
          "10ms"
        ],
        [2, /--state is missing/, "wait", "agent", pane],
        [2, /expected "starting" \|/, "wait", "agent", pane, "--state", "bored"],
        [2, /--quiet is missing/, "wait", "stable", pane],
        [2, /the condition is missing/, "wait", "lifecycle"],
        [2, /condition cannot be "pane-lives": expected "window-exists" \| /, "wait", "lifecycle", "pane-lives", pane],
        [2, /a pane is missing/, "wait", "lifecycle", "pane-exited"],
        [2, /a window is missing/, "wait", "lifecycle", "window-exists"],
        [2, /waits for a window/, "wait", "lifecycle", "window-exists", "--pane", pane],
        [8, /window-exists/, "wait", "lifecycle", "window-exists", "other", "--timeout", "10ms"],
        [4, /list what exists/, "panes", "--window", "other"],
        [2, /"x" is too much/, "sessions", "x"],
        [2, needsValue("session"), "windows", "--session"],
        [2, /runtime is blank/, "panes", "--runtime", ""],
        [2, /the target is missing/, "probe"],
        [2, /a pane is missing/, "describe"],
        [4, /list what exists/, "focus", "other"],
        [2, /the size is missing/, "resize", pane],
        [2, /as in 120x40/, "resize", pane, "0x0"],
        [2, /give one target/, "close"],
        [4, /list what exists/, "close", "other"],
        [2, /put the command after --, as in: paneway spawn -- ls -l/, "spawn", "ls"],
        [2, /expected columns x rows.*\(see paneway spawn --help\)/, "spawn", "--size", "big"],
        [2, /expected NAME=VALUE/, "spawn", "--env", "X"],
        [2, /not both/, "spawn", "--shell", "x", "--", "y"],
        [9, /choose an existing directory/, "spawn", "--root", "/no-such-place", "--", "ls"],
        [126, /is not an executable file/, "spawn", "--", "/etc/passwd"],
        [127, /check the name and PATH/, "spawn", "--", "/no-such-place"],
        [4, /use a current handle/, "spawn", "--split", gone],
        [2, /the name is empty/, "ensure", ""],
        [5, /close the window, or choose another name/, "ensure", "build", "--root", "/"],
        [4, /unparsable/, "prepare", ""],
        [4, /list what exists/, "prepare", "other"],
        [2, /put the command after|has to stand after --/, "run", "ls"],
        [2, /--window needs --keep/, "run", "--window", "x", "--", "ls"],
        [8, /ran longer than its timeout/, "run", "--timeout", "10ms", "--", "sleep", "9"],
        [127, /check the name and PATH/, "run", "--", "/no-such-place"],
        [3, /unknown runtime nope/, "doctor", "--runtime", "nope"],
        [2, /"x" is too much/, "detect", "x"],
        [2, /cannot be "maybe": expected "true" \|/, "host", "stop", "--force=maybe"],
        [6, /or pass --force/, "host", "stop"]
      ]
      yield* Effect.forEach(all, ([code, told, ...words]) =>
        Effect.gen(function*() {
          const ended = yield* run(words)
          const line = words.join(" ")
          assert.deepStrictEqual([ended.code, ended.stdout.toString()], [code, ""], line)
          assert.match(ended.stderr, told, line)
          // below it, what a pane showed last is indented
          assert.match(ended.stderr, /^paneway: [^\n]+\n(?: {2}[^\n]*\n)*$/, line)
        }), { concurrency: 3, discard: true })
    }), 180_000)

  it.live("fails also where only help, a version or completions have no place", () =>
    Effect.gen(function*() {
      const { script } = yield* user
      const said = yield* script(`
        for words in --help "send --help" --version "--completions bash"; do
          paneway $words > /dev/full 2> told; echo $?; cat told
        done
      `)
      for (const at of [0, 2, 4, 6]) {
        assert.strictEqual(said[at], "1")
        assert.match(said[at + 1] ?? "", /^paneway: standard output cannot be written: .*ENOSPC/)
      }
    }))
})
