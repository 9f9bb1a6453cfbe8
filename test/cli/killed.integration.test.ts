/** The command line is killed in the middle of each verb: at a moment that the way to the host holds, for certain. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { Passthrough } from "../../src/Passthrough.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin, started } from "../fixtures/cli.ts"
import { held, type Moment } from "../fixtures/held.ts"
import { entry, killed, user } from "../fixtures/hostUser.ts"
import { isAlive, running, seconds, until } from "../fixtures/processes.ts"

const often = Schedule.spaced("10 millis")

/** A host, the way to it on which calls are held, and a command line that knows no other. */
const stage = Effect.gen(function*() {
  const own = yield* user()
  yield* own.ensure
  const front = join(own.home, "front")
  mkdirSync(join(front, "paneway"), { recursive: true, mode: 0o700 })
  const { hold } = yield* held(join(front, "paneway", "host.sock"), join(own.directory, "host.sock"))
  const runtime = Context.get(yield* Layer.build(own.layer), TerminalRuntime)
  yield* runtime.listPanes()
  const { home } = own
  const env = { ...own.env, XDG_RUNTIME_DIR: front }
  const files = () =>
    [own.directory, front].flatMap((one) => readdirSync(one, { recursive: true, encoding: "utf8" })).toSorted()
  const before = files()
  let panes = 0

  /** A program that keeps what is typed in a file, and reads nothing while it is stopped. */
  const listener = Effect.gen(function*() {
    const name = `typed${panes++}`
    const pane = yield* runtime.spawn({
      program: { shell: `exec 3>${name}; stty raw echo; echo ready; exec cat >&3` },
      cwd: home
    })
    yield* runtime.waitOutput(pane.handle, { pattern: "ready", timeout: "10 seconds" })
    return { pane: pane.handle, pid: pane.pid ?? 0, typed: () => readFileSync(join(home, name), "utf8") }
  })

  /** Kills the command when its call is held at that moment, and `during` has been done; it has told nothing then. */
  const kill = <E = never>(
    words: ReadonlyArray<string>,
    [procedure, moment]: readonly [string, Moment],
    { during = Effect.void, input }: {
      readonly during?: Effect.Effect<unknown, E>
      readonly input?: string | undefined
    } = {}
  ) =>
    Effect.scoped(Effect.gen(function*() {
      const reached = hold(procedure, moment)
      const { child, ended } = yield* started(words, { env, cwd: home, input })
      const early = Effect.flatMap(ended, ({ code, stderr }) =>
        Effect.die(new Error(`${words.join(" ").slice(0, 80)} ended before: ${code} ${stderr}`)))
      yield* Effect.raceFirst(Effect.timeout(reached, "10 seconds"), early)
      yield* during
      child.kill("SIGKILL")
      const { signal, stdout } = yield* ended
      assert.deepStrictEqual([signal, stdout.toString()], ["SIGKILL", ""])
    }))

  /** No connection, no file of theirs and no lock. */
  const isClear = Effect.gen(function*() {
    yield* own.status.pipe(
      Effect.repeat({ until: ({ clients }) => clients === 2, schedule: often }),
      Effect.timeout("20 seconds")
    )
    assert.deepStrictEqual(files(), before)
  })

  return { env, hold, home, isClear, kill, listener, own, runtime }
})

const live = <E>(name: string, body: (on: Effect.Success<typeof stage>) => Effect.Effect<void, E>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(stage, body)), 180_000)

/** More than a terminal takes of a program that does not read. */
const long = `begin ${"0123456789".repeat(9000)} end`

describe("a send whose process is killed", () => {
  live(
    "is typed whole or not at all, and so is the next one",
    ({ home, isClear, kill, listener, runtime }) =>
      Effect.gen(function*() {
        writeFileSync(join(home, "long"), long)
        const ways: ReadonlyArray<readonly [(pane: string) => ReadonlyArray<string>, string, string?]> = [
          [(pane) => ["send", "--pane", pane, "--cmd", long], `${long}\r`],
          [(pane) => ["send", "--pane", pane, "--msg", long, "--key", "Enter", "--json"], `${long}\r`],
          [(pane) => ["send", "--pane", pane, "--file", "long"], long],
          [(pane) => ["type", pane, long], long],
          [(pane) => ["type", pane], long, long]
        ]
        for (const [wordsFor, whole, input] of ways) {
          for (const moment of ["asked", "late", "middle", "answered"] as const) {
            const { pane, pid, typed } = yield* listener
            if (moment === "middle") process.kill(pid, "SIGSTOP")
            // what the terminal shows of it, the program has not read
            const during = moment === "middle"
              ? runtime.waitOutput(pane, { pattern: "begin", timeout: "10 seconds" })
              : Effect.void
            yield* kill(wordsFor(`${pane}`), ["send", moment === "middle" ? "taken" : moment], { during, input })
            assert.isTrue(typed() === "" || moment === "answered" || moment === "late")
            process.kill(pid, "SIGCONT")
            yield* runtime.sendText(pane, "<next>")
            yield* until(() => typed().endsWith("<next>"))
            // one that the host was late to hear of may have begun before it heard of the end
            const nothing = moment === "asked" || (moment === "late" && typed().length < long.length)
            assert.strictEqual(typed(), `${nothing ? "" : whole}<next>`)
            yield* runtime.closePane(pane)
            yield* isClear
          }
        }
      })
  )
})

/** Verbs that ask the host for something of a pane, and the calls in which they are killed. */
const asking: ReadonlyArray<readonly [(pane: string) => ReadonlyArray<string>, string, ReadonlyArray<Moment>]> = [
  [(pane) => ["capture", pane, "--full"], "capture", ["asked", "late", "taken", "answered"]],
  [(pane) => ["wait", "output", pane, "--match", "never"], "waitOutput", ["asked", "late", "taken"]],
  [(pane) => ["wait", "output", pane, "--regex", "(n+)+ever$"], "waitOutput", ["taken"]],
  [(pane) => ["wait", "output", pane, "--match", "ready"], "waitOutput", ["answered"]],
  [(pane) => ["wait", "stable", pane, "--quiet", "20s"], "waitStable", ["asked", "late", "taken"]],
  [(pane) => ["wait", "lifecycle", "pane-exited", pane], "waitLifecycle", ["asked", "late", "taken"]],
  [(pane) => ["wait", "agent", pane, "--state", "blocked"], "resolve", ["asked", "taken", "answered"]],
  [(pane) => ["probe", pane], "probe", ["asked", "late", "taken", "answered"]],
  [(pane) => ["describe", pane], "resolve", ["asked", "answered"]],
  [() => ["panes"], "listPanes", ["taken", "answered"]]
]

describe("a question whose process is killed", () => {
  live("leaves nothing, and the pane as it was", ({ isClear, kill, listener, runtime }) =>
    Effect.gen(function*() {
      const { pane, typed } = yield* listener
      let sent = ""
      for (const [wordsFor, procedure, moments] of asking) {
        for (const moment of moments) {
          yield* kill(wordsFor(`${pane}`), [procedure, moment])
          yield* isClear
          const next = `<${procedure} ${moment}>`
          sent += next
          yield* runtime.sendText(pane, next)
          yield* until(() => typed().length >= sent.length)
          assert.strictEqual(typed(), sent)
        }
      }
    }))
})

describe("a change whose process is killed", () => {
  live(
    "was made whole or not at all: each process is one of a pane that is listed",
    ({ home, isClear, kill, listener, runtime }) =>
      Effect.gen(function*() {
        const { pane, typed } = yield* listener
        for (const moment of ["asked", "late", "taken", "answered"] as const) {
          for (const verb of ["spawn", "run --keep"] as const) {
            const time = seconds()
            const words = [...verb.split(" "), ...(verb === "spawn" ? [] : ["--window", "kept"]), "--", "sleep", time]
            yield* kill(words, ["spawn", moment])
            yield* isClear
            const opened = Effect.map(
              runtime.listPanes(),
              (panes) => panes.filter(({ handle }) => `${handle}` !== `${pane}`)
            )
            const others = yield* opened.pipe(
              Effect.repeat({ until: ({ length }) => length === running(time).length, schedule: often }),
              Effect.timeout("5 seconds")
            )
            if (moment === "asked") assert.strictEqual(others.length, 0)
            if (moment === "answered") assert.strictEqual(others.length, 1)
            yield* Effect.forEach(others, ({ handle }) => runtime.closePane(handle))
            assert.deepStrictEqual(running(time), [])
          }

          yield* kill(["ensure", `w-${moment}`], ["ensureWindow", moment])
          yield* isClear
          const made = (yield* runtime.listWindows()).some(({ name }) => name === `w-${moment}`)
          if (moment === "asked" || moment === "answered") assert.strictEqual(made, moment === "answered")
          const { handle: window } = yield* runtime.ensureWindow({ name: `w-${moment}`, root: home })

          yield* kill(["prepare", `${window}`], ["preparePane", moment])
          yield* isClear
          const { handle } = yield* runtime.preparePane({ window })
          const { output } = yield* runtime.run(handle, { command: "echo who''le", timeout: "10 seconds" })
          assert.strictEqual(output, "whole\n")
          yield* runtime.closeWindow(window)

          const { pane: doomed, pid } = yield* listener
          yield* kill(["close", `${doomed}`], ["closePane", moment])
          yield* isClear
          const [probed] = yield* runtime.probe([doomed])
          if (moment === "asked" || moment === "answered") {
            assert.strictEqual(probed?.liveness, moment === "asked" ? "live" : "gone")
          }
          yield* runtime.closePane(doomed)
          yield* until(() => !isAlive(pid))
        }
        yield* runtime.sendText(pane, "<next>")
        yield* until(() => typed() === "<next>")
      })
  )
})

describe("a run whose process is killed", () => {
  live("ends with it where its pane is its own", ({ env, home, isClear }) =>
    Effect.gen(function*() {
      for (const [input, program] of [["", "exec sleep"], ["x".repeat(1_000_000), "sleep"]] as const) {
        const time = seconds()
        yield* Effect.scoped(Effect.gen(function*() {
          const { child, ended } = yield* started(["run", "--", "sh", "-c", `${program} ${time}; :`], {
            env,
            cwd: home,
            input
          })
          yield* until(() => running(time).length > 0)
          child.kill("SIGKILL")
          yield* ended
        }))
        yield* until(() => running(time).length === 0)
        yield* isClear
      }
    }))

  live("leaves the shell of a pane to the next one", ({ isClear, kill, runtime, home }) =>
    Effect.gen(function*() {
      const shell = yield* runtime.preparePane({
        window: yield* Effect.map(
          runtime.ensureWindow({ name: "shell", root: home }),
          ({ handle }) => handle
        )
      })
      for (const moment of ["asked", "late", "taken", "middle", "answered"] as const) {
        const time = seconds()
        const command = moment === "middle" ? ["sleep", time] : ["echo", "this is printed"]
        yield* kill(["run", "--pane", `${shell.handle}`, "--", ...command], [
          "run",
          moment === "middle" ? "taken" : moment
        ], { during: moment === "middle" ? until(() => running(time).length > 0) : Effect.void })
        yield* isClear
        for (const pid of running(time)) process.kill(pid)
        const { exitCode, output } = yield* runtime.run(shell.handle, {
          command: "echo who''le; (exit 3)",
          timeout: "10 seconds"
        })
        assert.deepStrictEqual([exitCode, output], [3, "whole\n"], moment)
      }
    }))
})

describe("a terminal that is attached and whose process is killed", () => {
  live(
    "leaves the pane to others, also in the middle of what was typed",
    ({ env, home, hold, isClear, listener, runtime }) =>
      Effect.gen(function*() {
        const terminals = yield* TerminalRuntime
        const raw = Option.getOrThrow(yield* Passthrough)
        const attach = (pane: string, ...words: ReadonlyArray<string>) =>
          terminals.spawn({
            program: { argv: [process.execPath, bin, "attach", pane, ...words] },
            cwd: home,
            env: { ...env, PATH: env.PATH ?? "" },
            unset: ["PANEWAY_*", "TMUX*"],
            onExit: "hold"
          })
        for (const moment of ["asked", "late", "taken", "answered"] as const) {
          const { pane, typed } = yield* listener
          const opening = hold("viewPane", moment)
          const first = yield* attach(`${pane}`)
          yield* Effect.timeout(opening, "10 seconds")
          yield* killed(first.pid ?? 0)
          yield* isClear

          const second = yield* attach(`${pane}`)
          yield* terminals.waitOutput(second.handle, { pattern: "ready", timeout: "10 seconds" })
          const typing = hold("viewWrite", moment)
          yield* raw.write(second.handle, Buffer.from("typed"))
          yield* Effect.timeout(typing, "10 seconds")
          yield* killed(second.pid ?? 0)
          yield* isClear
          yield* runtime.sendText(pane, "<next>")
          yield* until(() => typed().endsWith("<next>"))
          const expected = moment === "asked"
            ? ["<next>"]
            : moment === "late"
            ? ["<next>", "typed<next>"]
            : ["typed<next>"]
          assert.include(expected, typed())
        }

        const { pane, pid, typed } = yield* listener
        const terminal = yield* attach(`${pane}`)
        yield* terminals.waitOutput(terminal.handle, { pattern: "ready", timeout: "10 seconds" })
        process.kill(pid, "SIGSTOP")
        yield* Effect.forkChild(raw.write(terminal.handle, Buffer.from(long)), { startImmediately: true })
        yield* runtime.waitOutput(pane, { pattern: "begin", timeout: "10 seconds" })
        yield* killed(terminal.pid ?? 0)
        process.kill(pid, "SIGCONT")
        yield* runtime.sendText(pane, "<next>")
        yield* until(() => typed().endsWith("<next>"))
        assert.isTrue(long.startsWith(typed().slice(0, -6)))
        yield* isClear
      }).pipe(Effect.provide(Pty.layer({ shell: "/bin/sh" })))
  )
})

/** Numbers of the hosts of a user, also of those that are just starting. */
const hostsOf = (home: string) =>
  running(entry).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}\0`)
    } catch {
      return false // ended meanwhile
    }
  })

describe("a command that is killed while it", () => {
  it.live("starts a host leaves one that the next command finds, and no lock in its way", () =>
    Effect.gen(function*() {
      for (
        const [stopped, ...words] of [
          [true, "host", "start"],
          [false, "host", "start"],
          [true, "ensure", "w"],
          [true, "spawn"],
          [true, "run", "--keep", "--", "cat"]
        ] as const
      ) {
        yield* Effect.scoped(Effect.gen(function*() {
          const own = yield* user()
          yield* Effect.scoped(Effect.gen(function*() {
            const { child, ended } = yield* started(words, {
              env: { ...own.env, NODE_COMPILE_CACHE: join(own.home, "compiled") },
              cwd: own.home
            })
            yield* until(() => hostsOf(own.home).length > 0)
            const [pid = 0] = hostsOf(own.home)
            // neither has gone on when the other one ends
            if (stopped) process.kill(pid, "SIGSTOP")
            child.kill("SIGKILL")
            yield* ended
            if (stopped) process.kill(pid, "SIGCONT")
          }))
          const { pid } = yield* own.ensure
          // the one that came second says so and ends
          yield* until(() => hostsOf(own.home).join() === `${pid}`)
          const pane = yield* Effect.provide(
            TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv: ["sleep", seconds()] }, cwd: "/" })),
            own.layer
          )
          yield* own.stop(true)
          yield* until(() => !isAlive(pid) && !isAlive(pane.pid ?? 0))
          // one that finds no host takes the lock, whoever left it, and gives it back
          yield* own.ensure
          yield* own.stop(true)
          assert.deepStrictEqual(
            readdirSync(own.directory, { recursive: true, encoding: "utf8" }).filter((one) => !one.endsWith(".holder")),
            ["locks"]
          )
        }))
      }
    }), 180_000)

  live(
    "stops the host leaves it as it was, or nothing of it",
    ({ isClear, kill, own, runtime }) =>
      Effect.gen(function*() {
        const time = seconds()
        yield* runtime.spawn({ program: { argv: ["sleep", time] }, cwd: "/" })
        yield* kill(["host", "stop"], ["hostStop", "taken"])
        yield* kill(["host", "stop", "--force"], ["hostStop", "asked"])
        yield* isClear
        assert.strictEqual(running(time).length, 1)
        const { pid } = yield* own.status
        yield* kill(["host", "stop", "--force"], ["hostStop", "late"])
        yield* until(() => !isAlive(pid))
        assert.deepStrictEqual(running(time), [])
        assert.deepStrictEqual(readdirSync(own.directory), ["locks"])
      })
  )
})
