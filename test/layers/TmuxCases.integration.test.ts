import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tmux from "../../layers/Tmux.ts"
import type { SendRequest } from "../../src/Send.ts"
import { type PaneHandle, windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bursting } from "../fixtures/bursting.ts"
import { until } from "../fixtures/processes.ts"
import { takenBy } from "../fixtures/processor.ts"
import { emptyServer, runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const on = ({ env, path }: TestServer, more: Tmux.Options = {}) =>
  Layer.fresh(
    Tmux.layer({ server: { path }, env, session: "work", size: { columns: 100, rows: 30 }, ...more })
  )

/** On a server of its own, with a session `keeper`. */
const alone = (more: Tmux.Options) => Layer.unwrap(Effect.map(runningServer, (server) => on(server, more)))

const seen = (handle: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(handle, { pattern, timeout: "30 seconds" }))

/** Takes exactly the bytes it is sent, shows them, and stays: tmux can lose the last output of a program that ends. */
const sink = Effect.fnUntraced(function*(bytes: number, setup = "") {
  const runtime = yield* TerminalRuntime
  const script = `stty raw -echo; ${setup} printf ready; head -c ${bytes} | od -An -v -tx1; printf end; exec sleep 1000`
  const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] } })
  yield* seen(handle, "ready")
  const read = Effect.gen(function*() {
    yield* seen(handle, "end")
    const { rows } = yield* runtime.capture(handle, { range: "full" })
    yield* runtime.closePane(handle)
    const hex = rows.join(" ").replace(/^.*?ready/, "").replace(/end\s*$/, "").replaceAll(/\s+/g, "")
    return Buffer.from(hex, "hex").toString("utf8")
  })
  return { handle, read }
})

/** What a program gets of a request. */
const received = Effect.fnUntraced(function*(request: SendRequest, expected: string, setup = "") {
  const runtime = yield* TerminalRuntime
  const { handle, read } = yield* sink(Buffer.byteLength(expected), setup)
  yield* runtime.send(handle, request, { allowNewlines: true })
  return yield* read
})

const text = (message: string) => received({ items: [{ message }] }, message)

/** A shell without files of its user, at its prompt. */
const shell = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const pane = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] }, env: { PS1: "$ ", ENV: "" } })
  yield* seen(pane.handle, /^\$/)
  return pane
})

for (const way of ["control", "forked"] as const) {
  const layer = alone({ way })

  describe.concurrent(`a program in tmux gets what it is sent (${way})`, () => {
    it.live("case 1: a text that ends in a semicolon, and backslashes before it", () =>
      Effect.gen(function*() {
        for (const message of ["run tests;", "a\\;", "a;;", "\\;;\\", ";\\"]) {
          assert.strictEqual(yield* text(message), message)
        }
      }).pipe(Effect.provide(layer)))

    it.live("case 2: a semicolon alone, and one before a key", () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* text(";"), ";")
        assert.strictEqual(yield* received({ items: [{ message: "go;" }, { key: "C-m" }] }, "go;\r"), "go;\r")
        assert.strictEqual(yield* received({ command: "go;" }, "go;\r"), "go;\r")
      }).pipe(Effect.provide(layer)))

    it.live("case 4, case 10: a text with dashes whole, wherever it may be cut, however many bytes it takes", () =>
      Effect.gen(function*() {
        const fillers = [400, 4090, 4095, 4096, 16_378]
        const texts = ["-ready", "--", ...fillers.map((filler) => `${"x".repeat(filler)}-ready`), "я".repeat(6000)]
        for (const message of texts) {
          const got = yield* text(message)
          assert.isTrue(got === message, `${got.length} of ${message.length}`)
        }
      }).pipe(Effect.provide(layer)))

    it.live("case 5, case 7: the words of keys as words, and blanks as they are", () =>
      Effect.gen(function*() {
        const items = ["Up", "Space", "Enter", "C-c", "F5", "M-x", " -l", "\tls  -l\t "].map((message) => ({ message }))
        const words = items.map(({ message }) => message).join("")
        assert.strictEqual(yield* received({ items }, words), words)

        const keys: SendRequest = { items: ["Up", "Space", "C-c", "M-x"].map((key) => ({ key })) }
        assert.strictEqual(yield* received(keys, "\u001b[A \u0003\u001bx"), "\u001b[A \u0003\u001bx")
      }).pipe(Effect.provide(layer)))

    it.live("case 8: no text, and its key", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle, read } = yield* sink(1)
        yield* runtime.typeInto(handle, "\n")
        assert.strictEqual(yield* read, "\r")
      }).pipe(Effect.provide(layer)))

    it.live("case 32: text, pastes and keys in their order", () =>
      Effect.gen(function*() {
        const items: SendRequest = {
          items: [
            { message: "a" },
            { key: "Tab" },
            { message: "b".repeat(5000) },
            { key: "Enter" },
            { message: "c" },
            { key: "Tab" }
          ]
        }
        const expected = `a\t${"b".repeat(5000)}\rc\t`
        assert.isTrue((yield* received(items, expected)) === expected)
      }).pipe(Effect.provide(layer)))
  })

  describe.concurrent(`a prompt in tmux (${way})`, () => {
    for (const [told, asks] of [["that asks for pastes", true], ["that asks for nothing", false]] as const) {
      it.live(`case 25: gets its Enter a moment after its text, for an agent ${told}`, () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: [process.execPath, "-e", bursting(50, asks)] } })
          yield* seen(handle, "ready")
          yield* runtime.sendCommand(handle, "go", { profile: "agent-aware" })
          assert.strictEqual((yield* seen(handle, /^got /)).line, "got \"go\"")
        }).pipe(Effect.provide(layer)))
    }
  })

  describe.concurrent(`several lines in tmux (${way})`, () => {
    const lines = "l1\nl2\nl3"

    it.live("case 14: are refused where each of them would be submitted", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* sink(1)
        const error = yield* Effect.flip(runtime.sendText(handle, lines))
        assert.deepInclude(error, { _tag: "SendRejected", code: "newline-would-submit" })
      }).pipe(Effect.provide(layer)))

    it.live("case 17: have one pair of marks where the program asked for them, and none elsewhere", () =>
      Effect.gen(function*() {
        const pasted = `\u001b[200~${lines}\u001b[201~`
        const message: SendRequest = { items: [{ message: lines }] }
        if (way === "control") {
          assert.strictEqual(yield* received(message, pasted, "printf '\\033[?2004h';"), pasted)
        }
        assert.strictEqual(yield* received(message, lines), lines)
      }).pipe(Effect.provide(layer)))
  })

  describe.concurrent(`a pane in a mode of tmux (${way})`, () => {
    it.live("case 22: leaves it, and its program gets the text alone", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const modes = [
            ["copy-mode"],
            ["choose-tree"],
            ["choose-buffer"],
            ["clock-mode"],
            ["customize-mode"]
          ] as const
          server.tmux("set-buffer", "of the user")
          const { handle, read } = yield* sink(modes.length * 5)
          for (const [mode] of modes) {
            server.tmux(mode, "-t", handle.id)
            assert.strictEqual(server.tmux("display-message", "-p", "-t", handle.id, "#{pane_in_mode}"), "1\n", mode)
            yield* runtime.send(handle, { items: [{ message: "text" }, { key: "Enter" }] })
          }
          assert.strictEqual(yield* read, "text\r".repeat(modes.length))
        }).pipe(Effect.provide(on(server, { way })))
      }).pipe(Effect.scoped))
  })

  describe.concurrent(`a held pane of tmux (${way})`, () => {
    it.live("case 23: takes nothing, and whoever sends to it is told so", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", "exit 7"] } })
        yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
        const sends = [
          runtime.sendText(handle, "x"),
          runtime.sendCommand(handle, "ls"),
          runtime.sendKeys(handle, ["C-c"]),
          runtime.sendCommand(handle, "go", { profile: "agent-aware" })
        ]
        for (const send of sends) {
          assert.deepInclude(yield* Effect.flip(send), { _tag: "SendRejected", code: "pane-dead" })
        }
        assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { code: 7 })
      }).pipe(Effect.provide(layer)))
  })

  describe.concurrent(`names in tmux (${way})`, () => {
    it.live("case 58: with a dot are refused for sessions, and are those of no window either", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("new-session", "-d", "-s", "api", "exec sleep 1000")
        const before = server.tmux("list-windows", "-a", "-F", "#{window_id}")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const opened = yield* Effect.flip(runtime.spawn({ placement: { window: "w", session: "api.2" } }))
          const ensured = yield* Effect.flip(runtime.ensureWindow({ name: "w", root: "/", session: "api:0" }))
          const closed = yield* Effect.flip(runtime.closeSession("api.0"))
          assert.deepInclude(opened, { _tag: "InvalidRequest", field: "session" })
          assert.deepInclude(ensured, { _tag: "InvalidRequest", field: "session" })
          assert.deepInclude(closed, { _tag: "TargetNotFound", reason: "absent" })
          yield* runtime.setEnvironment({ session: "api.2", name: "OF_TWO", value: "1" })
        }).pipe(Effect.provide(on(server, { way })))
        assert.strictEqual(server.tmux("list-windows", "-a", "-F", "#{window_id}"), before)
        assert.notInclude(server.tmux("show-environment", "-t", "=api"), "OF_TWO")
      }).pipe(Effect.scoped))

    it.live("case 56, case 76: are the same to whoever makes a window and looks for it", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const root = yield* folder
        for (const name of ["my.repo", "a:b", "x y", "=x", "%1", "@1", "$1", "-x", "🐈", "n".repeat(300), "#{pid}"]) {
          const made = yield* runtime.ensureWindow({ name, root, session: "a b" })
          const again = yield* runtime.ensureWindow({ name, root, session: "a b" })
          assert.deepStrictEqual([again.handle.id, again.session], [made.handle.id, "a b"], name)
          assert.strictEqual(yield* runtime.closeWindow(made.name, { session: "a b" }), "closed")
        }
      }).pipe(Effect.scoped, Effect.provide(layer)))

    it.live("case 59, case 61: are no beginnings and no patterns", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("new-session", "-d", "-s", "job-10", "-n", "zz*", "exec sleep 1000")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          for (const name of ["job-1", "job*", "=job-10", "job-1?"]) {
            assert.deepInclude(yield* Effect.flip(runtime.closeSession(name)), { _tag: "TargetNotFound" }, name)
            assert.deepStrictEqual(
              yield* Effect.option(runtime.listWindows({ session: name })).pipe(
                Effect.map((found) => found._tag === "Some" ? found.value : [])
              ),
              []
            )
          }
          for (const name of ["z", "z*", "0"]) {
            const error = yield* Effect.flip(runtime.closeWindow(windowName(name), { session: "job-10" }))
            assert.deepInclude(error, { _tag: "TargetNotFound" }, name)
          }
        }).pipe(Effect.provide(on(server, { way })))
        assert.include(server.tmux("list-windows", "-a", "-F", "#{session_name} #{window_name}"), "job-10 zz*\n")
      }).pipe(Effect.scoped))

    it.live("case 62: that two windows have are ambiguous", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        for (let n = 0; n < 2; n++) server.tmux("new-window", "-d", "-t", "keeper:", "-n", "dup", "exec sleep 1000")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const root = yield* folder
          const ensured = yield* Effect.flip(runtime.ensureWindow({ name: "dup", root, session: "keeper" }))
          const closed = yield* Effect.flip(runtime.closeWindow(windowName("dup"), { session: "keeper" }))
          assert.deepInclude(ensured, { _tag: "TargetNotFound", reason: "ambiguous" })
          assert.deepInclude(closed, { _tag: "TargetNotFound", reason: "ambiguous" })
        }).pipe(Effect.scoped, Effect.provide(on(server, { way })))
        assert.lengthOf(server.tmux("list-windows", "-t", "keeper", "-F", "#{window_name}").match(/^dup$/gm) ?? [], 2)
      }).pipe(Effect.scoped))

    it.live("case 68: stay those of a window whose program changes its title", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("set-option", "-gw", "automatic-rename", "on")
        server.tmux("set-option", "-gw", "allow-rename", "on")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const root = yield* folder
          const made = yield* runtime.ensureWindow({ name: "build", root })
          const { handle } = yield* runtime.preparePane({ window: made.handle })
          yield* runtime.run(handle, {
            command: String.raw`printf '\033]0;stolen\007\033kstolen\033\\'`,
            timeout: "10 seconds"
          })
          assert.strictEqual((yield* runtime.ensureWindow({ name: "build", root })).handle.id, made.handle.id)
          assert.strictEqual((yield* runtime.describe(handle)).title, "stolen")
        }).pipe(Effect.scoped, Effect.provide(on(server, { way })))
      }).pipe(Effect.scoped))
  })

  describe.concurrent(`what a pane of tmux shows (${way})`, () => {
    it.live("case 94: matches across the edge, wherever it wraps", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        for (const filler of [12, 17, 19, 20]) {
          const { handle } = yield* runtime.spawn({
            program: { argv: ["sh", "-c", `printf '%s' ${"x".repeat(filler)}DONE-MARK; exec cat`] },
            placement: { window: `w${filler}`, session: "narrow" },
            size: { columns: 20, rows: 10 }
          })
          assert.include((yield* seen(handle, "xDONE-MARK")).line, "xDONE-MARK")
        }
      }).pipe(Effect.provide(layer)))

    it.live("case 101: matches above everything that follows, 50 lines and a prompt", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* shell
        const { mark } = yield* runtime.sendCommand(handle, "echo the-''target; seq 50")
        const { line } = yield* runtime.waitOutput(handle, {
          pattern: /^the-target$/,
          after: mark,
          timeout: "10 seconds"
        })
        assert.strictEqual(line, "the-target")
      }).pipe(Effect.provide(layer)))

    it.live("case 109: says so on the alternate screen, which has no rows above", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* runtime.spawn({
          program: { argv: ["sh", "-c", "seq 100; printf '\\033[?1049h\\033[Halternate'; exec cat"] }
        })
        yield* seen(handle, /^alternate$/)
        const { alternate, rows } = yield* runtime.capture(handle, { range: "full" })
        assert.isTrue(alternate)
        assert.strictEqual(rows[0], "alternate")
        assert.isAtMost(rows.length, 30)
      }).pipe(Effect.provide(layer)))

    it.live("case 110: says when older rows are not in it", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("set-option", "-g", "history-limit", "100")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", "seq 500; exec cat"] } })
          yield* seen(handle, /^500$/)
          const { rows, truncated } = yield* runtime.capture(handle, { range: "full" })
          assert.isTrue(truncated)
          assert.notInclude(rows, "1")
        }).pipe(Effect.provide(on(server, { way })))
      }).pipe(Effect.scoped))

    it.live("case 112, case 113: is plain text without blanks at the end of its rows", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const script = String.raw`printf '\033[1mD\033[0m\033[31mo\033[0m you want\302\240it   \n'; exec cat`
        const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] } })
        assert.strictEqual((yield* seen(handle, /^Do you want it$/)).line, "Do you want it")
      }).pipe(Effect.provide(layer)))

    it.live("case 115: is the same where the caller's locale knows no UTF-8", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
          yield* runtime.sendText(handle, "größe 字 🐈")
          assert.strictEqual((yield* seen(handle, "größe")).line, "größe 字 🐈")
        }).pipe(Effect.provide(on({ ...server, env: { ...server.env, LC_ALL: "C", LANG: "" } }, { way })))
      }).pipe(Effect.scoped))

    it.live("case 122: is not held up by a flood in five other panes", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const pid = Number(server.tmux("display-message", "-p", "#{pid}"))
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
          for (let n = 0; n < 5; n++) yield* runtime.spawn({ program: { argv: ["yes"] } })
          const times: Array<number> = []
          for (let n = 0; n < 20; n++) {
            const begin = takenBy(pid)
            yield* runtime.sendText(handle, `<${n}>`)
            yield* seen(handle, `<${n}>`)
            times.push(takenBy(pid) - begin)
          }
          assert.isBelow(
            times.toSorted((a, b) => a - b)[18] ?? Infinity,
            2000,
            "milliseconds of the server's processor"
          )
        }).pipe(Effect.provide(on(server, { way })))
      }).pipe(Effect.scoped), 60_000)
  })

  describe.concurrent(`a command in a shell of tmux (${way})`, () => {
    it.live("case 100: misses none that ends at once, 20 of 20", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* shell
        for (let n = 0; n < 20; n++) {
          const { mark } = yield* runtime.sendCommand(handle, `echo "<$((${n}))>"`)
          const { line } = yield* runtime.waitOutput(handle, {
            pattern: /^<\d+>$/,
            after: mark,
            timeout: "10 seconds"
          })
          assert.strictEqual(line, `<${n}>`)
        }
      }).pipe(Effect.provide(layer)))

    it.live("case 106: is refused by what is no shell, and nothing is typed there", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* runtime.spawn({ program: { argv: [process.execPath, "-i"] } })
        yield* seen(handle, /^> $|^>$/)
        const before = yield* runtime.capture(handle, { range: "full" })
        const error = yield* Effect.flip(runtime.run(handle, { command: "ls", timeout: "5 seconds" }))
        assert.deepInclude(error, { _tag: "SendRejected", code: "not-a-shell" })
        assert.deepStrictEqual((yield* runtime.capture(handle, { range: "full" })).rows, before.rows)
      }).pipe(Effect.provide(layer)))

    it.live("case 77, case 80: runs once, although its shell starts slowly", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const place = yield* folder
        const rc = join(place, "rc")
        writeFileSync(rc, "sleep 1\nPS1='$ '\n")
        const { handle } = yield* runtime.spawn({ program: { argv: ["/bin/bash", "--rcfile", rc, "-i"] }, cwd: place })
        yield* runtime.sendCommand(handle, "echo x >>count; echo ran-''it")
        yield* seen(handle, /^ran-it$/)
        assert.strictEqual(readFileSync(join(place, "count"), "utf8"), "x\n")
      }).pipe(Effect.scoped, Effect.provide(layer)))

    it.live("case 79: leaves its prepared pane with a shell", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const root = yield* folder
        const window = yield* runtime.ensureWindow({ name: "w", root })
        const { handle } = yield* runtime.preparePane({ window: window.handle })
        for (const code of [0, 1]) {
          const { exitCode } = yield* runtime.run(handle, { command: `sh -c 'exit ${code}'`, timeout: "10 seconds" })
          assert.strictEqual(exitCode, code)
        }
        assert.isUndefined((yield* runtime.describe(handle)).exit)
      }).pipe(Effect.scoped, Effect.provide(layer)))
  })

  describe.concurrent(`the environment of a pane of tmux (${way})`, () => {
    it.live("case 160: is what it was given, on a server that runs already, and of no other pane", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const environment = (env: Readonly<Record<string, string>>) =>
          Effect.gen(function*() {
            const program = { argv: ["sh", "-c", "env; echo end; exec sleep 1000"] } as const
            const { handle } = yield* runtime.spawn({ program, env })
            yield* seen(handle, /^end$/)
            return (yield* runtime.capture(handle, { range: "full" })).rows
          })
        assert.include(yield* environment({ NEW: "1" }), "NEW=1")
        assert.notInclude(yield* environment({}), "NEW=1")
      }).pipe(Effect.provide(layer)))

    it.live("case 161: is no argument of any process", () =>
      Effect.gen(function*() {
        const server = yield* emptyServer
        const secret = randomBytes(16).toString("hex")
        const argv = new Set<string>()
        const look = Effect.sync(() => {
          for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
            try {
              const words = readFileSync(`/proc/${pid}/cmdline`, "utf8")
              if (words.includes(secret)) argv.add(words.replaceAll("\0", " "))
            } catch {
              // it ended
            }
          }
        })
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep("1 millis"))))
          for (const onExit of ["hold", "shell"] as const) {
            const { handle } = yield* runtime.spawn({
              program: { argv: ["sh", "-c", "printf '%s ' ready ${#API_KEY}; read -r line"] },
              env: { API_KEY: Redacted.make(secret) },
              onExit
            })
            yield* seen(handle, "ready 32")
            yield* look
            assert.notInclude(JSON.stringify(yield* runtime.describe(handle)), secret)
          }
        }).pipe(Effect.scoped, Effect.provide(on(server, { way })))
        assert.deepStrictEqual([...argv], [])
      }).pipe(Effect.scoped))
  })

  describe.concurrent(`a server of tmux (${way})`, () => {
    it.live("case 103: that hangs lengthens no wait by more than a quarter of a second", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const pid = Number(server.tmux("display-message", "-p", "#{pid}"))
        const goOn = Effect.sync(() => process.kill(pid, "SIGCONT"))
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
          process.kill(pid, "SIGSTOP")
          const error = yield* Effect.gen(function*() {
            const waiting = yield* Effect.forkChild(
              Effect.flip(runtime.waitOutput(handle, { pattern: "never", timeout: "1 second" })),
              { startImmediately: true }
            )
            // only this much time passes
            for (let n = 0; n < 5; n++) {
              yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
              yield* TestClock.adjust("250 millis")
            }
            return yield* Fiber.join(waiting)
          }).pipe(Effect.provide(TestClock.layer()), Effect.ensuring(goOn))
          assert.strictEqual(error._tag, "WaitTimeout")
        }).pipe(Effect.provide(on(server, { way })))
      }).pipe(Effect.scoped))

    it.live("case 157: keeps no pane, buffer or client of what was opened, used and closed", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const look = () =>
          [["list-panes", "-a", "-F", "#{pane_id}"], ["list-buffers"], ["show-options", "-g"]].map((words) =>
            server.tmux(...words)
          )
        const before = look()
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          for (let round = 0; round < 20; round++) {
            const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
            yield* runtime.sendText(handle, "x".repeat(5000))
            assert.strictEqual(yield* runtime.closePane(handle), "closed")
          }
        }).pipe(Effect.provide(on(server, { way })))
        yield* until(() => server.tmux("list-clients") === "")
        assert.deepStrictEqual(look(), before)
      }).pipe(Effect.scoped))
  })
}

describe.concurrent("a tmux that lets no control client stay", () => {
  it.live("case 121: is used by a process for each call, says so, and its server lives on", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const binary = join(yield* folder, "tmux")
      const leaves = "printf '%%begin 1 1 0\\n%%end 1 1 0\\n%%exit\\n'; exit 0"
      writeFileSync(binary, `#!/bin/sh\ncase " $* " in *" -C "*) ${leaves};; esac\nexec tmux "$@"\n`, { mode: 0o755 })
      yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const degraded = yield* Effect.forkChild(
          Stream.runHead(
            Stream.filter(runtime.events, (event) => event._tag === "Health" && event.state === "degraded")
          ),
          { startImmediately: true }
        )
        const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
        yield* runtime.sendText(handle, "still here")
        yield* seen(handle, "still here")
        assert.isTrue(Option.isSome(yield* Effect.timeout(Fiber.join(degraded), "30 seconds")))
        assert.strictEqual(yield* runtime.closePane(handle), "closed")
      }).pipe(Effect.provide(on(server, { binary })))
      assert.include(server.tmux("list-sessions"), "keeper")
    }).pipe(Effect.scoped))
})
