/**
 * Panes that are made, described, resized and closed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { failureOf, printed, type Test } from "./world.ts"

/**
 * @internal
 */
export const spawning = (test: Test): void => {
  test(
    "spawning",
    "a spawn makes one pane, which is listed, described and live",
    Effect.fnUntraced(
      function*({ exists, open, programs, recorder, runtime }) {
        const before = (yield* runtime.listPanes()).length
        recorder.clear()
        const pane = yield* open(programs.echo)
        const described = yield* runtime.describe(pane.handle)

        assert.lengthOf(recorder.mutations().filter(({ primitive }) => primitive === "open"), 1)
        assert.strictEqual((yield* runtime.listPanes()).length, before + 1)
        assert.isTrue(yield* exists(pane.handle))
        assert.strictEqual(described.handle.toString(), pane.handle.toString())
        assert.strictEqual((yield* runtime.probe([pane.handle]))[0]?.liveness, "live")
      }
    )
  )

  test(
    "spawning",
    "a pane is put into the window that was named, and a split beside what was named",
    Effect.fnUntraced(
      function*({ programs, runtime }) {
        const first = yield* runtime.spawn({ program: programs.echo, placement: { window: "named" } })
        const beside = yield* runtime.spawn({ program: programs.echo, placement: { split: first.handle } })
        const inside = yield* runtime.spawn({ program: programs.echo, placement: { split: first.window } })

        const window = (yield* runtime.listWindows()).find(({ handle }) => handle.id === first.window.id)
        assert.strictEqual(window?.name, "named")
        for (const pane of [beside, inside]) assert.strictEqual(pane.window.toString(), first.window.toString())
        assert.lengthOf(yield* runtime.listPanes({ window: first.window }), 3)
      }
    ),
    { needs: ["splitPane"] }
  )

  test(
    "spawning",
    "two spawns are two panes with handles of their own",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const [one, two] = yield* Effect.all([open(programs.echo), open(programs.echo)], { concurrency: "unbounded" })
        assert.notStrictEqual(one.handle.toString(), two.handle.toString())
        yield* runtime.closePane(one.handle)
        assert.strictEqual((yield* runtime.probe([two.handle]))[0]?.liveness, "live")
      }
    )
  )

  test(
    "spawning",
    "the directory and the environment are those that were asked for",
    Effect.fnUntraced(
      function*({ line, programs, root, runtime }) {
        const { handle } = yield* runtime.spawn({
          program: programs.shell,
          cwd: root,
          env: { PANEWAY_SUITE: "plain value", PANEWAY_SECRET: Redacted.make("hidden") }
        })
        yield* runtime.sendCommand(handle, `printf '<%s>\\n' "$PANEWAY_SUITE" "$PANEWAY_SECRET" "$PWD"`)
        yield* line(handle, "<plain value>")
        yield* line(handle, "<hidden>")
        yield* line(handle, `<${root}>`)
      }
    )
  )

  test(
    "spawning",
    "what one pane is given no other one has, and what is unset none of those that ask for it",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const set = yield* runtime.setEnvironment({ name: "PANEWAY_SUITE_ALL", value: "all" })
        const names = ["PANEWAY_SUITE_ALL", "HOME", "PATH", "LANG", "USER"]
        const shown = (values: string) => `printf '<%s>\\n' "${values}"`
        const plain = yield* openShell({ env: { PANEWAY_SUITE_OWN: "own" } })
        const inherited: Array<string> = []
        for (const name of names) {
          const { mark } = yield* runtime.sendCommand(plain.handle, shown(`${name}=$${name}`))
          const { line: text } = yield* line(plain.handle, printed(`<${name}=.*>`), { after: mark })
          if (!text.includes("=>")) inherited.push(name)
        }
        const [name = "HOME"] = inherited
        // some programs set what they miss: a name that is taken away stays the test's own where there is one
        const without = yield* openShell({ unset: [name.startsWith("PANEWAY") ? "PANEWAY_*_ALL" : name] })
        yield* runtime.sendCommand(without.handle, shown(`$PANEWAY_SUITE_OWN`))
        yield* line(without.handle, printed("<>"))
        yield* runtime.sendCommand(without.handle, shown(`${name}=$${name}`))
        yield* line(without.handle, printed(`<${name}=>`))

        if (set._tag === "Applied") assert.strictEqual(name, "PANEWAY_SUITE_ALL")
      }
    )
  )

  test(
    "spawning",
    "a title is the one that was asked for, where a pane tells its title",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const titled = yield* open(programs.echo, { title: "suite title" })
        const untitled = yield* open(programs.echo)
        const described = yield* runtime.describe(titled.handle)

        assert.include([undefined, "suite title"], described.title)
        assert.strictEqual(titled.title, described.title)
        assert.notStrictEqual((yield* runtime.describe(untitled.handle)).title, "suite title")
        assert.strictEqual((yield* runtime.probe([titled.handle]))[0]?.liveness, "live")
      }
    )
  )

  test(
    "exact-handles",
    "text, keys, looks and the end are those of the pane that was named, whichever is active",
    Effect.fnUntraced(
      function*({ exists, has, line, openReady, programs, runtime }) {
        const first = yield* openReady(programs.recorder)
        const second = yield* openReady(
          programs.recorder,
          has("splitPane") ? { placement: { split: first.handle } } : {}
        )
        const third = yield* openReady(programs.recorder)
        const panes = [first, second, third]
        for (const [index, { handle }] of panes.entries()) {
          yield* runtime.sendText(handle, `t${index}`, { profile: "plain-pane" })
        }
        for (const [index, { handle }] of panes.entries()) {
          yield* runtime.sendKeys(handle, [`${index}`, "z"])
          assert.strictEqual((yield* line(handle, /z$/)).line, `t${index}${index}z`)
          assert.include((yield* runtime.capture(handle)).rows, `t${index}${index}z`)
        }
        yield* runtime.closePane(second.handle)

        for (const { handle } of [first, third]) assert.isTrue(yield* exists(handle))
        assert.isFalse(yield* exists(second.handle))
      }
    )
  )

  test(
    "windows",
    "a pane goes into the window of exactly that name",
    Effect.fnUntraced(
      function*({ programs, runtime }) {
        const into = (window: string) => runtime.spawn({ program: programs.echo, placement: { window } })
        const longer = yield* into("suite-window-10")
        const shorter = yield* into("suite-window-1")
        const again = yield* into("suite-window-1")
        const all = yield* runtime.listPanes({ window: longer.window })

        assert.notStrictEqual(`${shorter.window}`, `${longer.window}`)
        assert.strictEqual(`${again.window}`, `${shorter.window}`)
        assert.deepStrictEqual(all.map(({ handle }) => `${handle}`), [`${longer.handle}`])
      }
    )
  )

  test(
    "spawning",
    "what cannot be started is a typed failure and leaves no pane",
    Effect.fnUntraced(
      function*({ runtime }) {
        const before = (yield* runtime.listPanes()).length
        const error = yield* failureOf(runtime.spawn({ program: { argv: ["paneway-no-such-program"] } }))
        const nowhere = yield* failureOf(runtime.spawn({ cwd: "/paneway/no/such/directory" }))

        assert.deepInclude(error, { _tag: "SpawnFailed", reason: "missing-program", created: "nothing" })
        assert.deepInclude(nowhere, { _tag: "SpawnFailed", reason: "bad-directory", created: "nothing" })
        assert.strictEqual((yield* runtime.listPanes()).length, before)
      }
    )
  )

  test(
    "spawning",
    "a program that ends holds its pane with its exit, or closes it, as was asked",
    Effect.fnUntraced(
      function*({ exists, patience, programs, runtime }) {
        const held = yield* runtime.spawn({ program: programs.ending("over", 3), onExit: "hold" })
        const closed = yield* runtime.spawn({ program: programs.ending("over", 3), onExit: "close" })
        const ended = yield* Effect.forEach(
          [held.handle, closed.handle],
          (target) => runtime.waitLifecycle({ condition: "pane-exited", target, timeout: patience })
        )
        assert.deepInclude(ended[0], { observed: "exited", exit: { code: 3 } })
        assert.deepStrictEqual((yield* runtime.describe(held.handle)).exit, { code: 3 })
        // the exit comes before the pane goes
        yield* runtime.waitLifecycle({ condition: "pane-exited", target: closed.handle, timeout: patience })
        yield* Effect.repeat(exists(closed.handle), { while: (there) => there, schedule: Schedule.spaced("10 millis") })
      }
    ),
    { needs: ["exitStatus"] }
  )

  test(
    "spawning",
    "a program that ends leaves its pane to a shell, where that was asked for",
    Effect.fnUntraced(
      function*({ line, programs, runtime }) {
        const { handle } = yield* runtime.spawn({
          program: programs.ending("over\n", 0),
          onExit: "shell",
          env: { SHELL: "/bin/sh" }
        })
        yield* line(handle, "over")
        yield* line(handle, /[$#%>] ?$/)
        yield* runtime.sendCommand(handle, "printf '%s\\n' goes''-on", { profile: "plain-pane" })
        yield* line(handle, "goes-on")

        assert.isUndefined((yield* runtime.describe(handle)).exit)
      }
    )
  )

  test(
    "spawning",
    "a size that makes no sense is refused, and nothing is made",
    Effect.fnUntraced(
      function*({ programs, recorder, runtime }) {
        for (
          const size of [{ columns: 0, rows: 10 }, { columns: 10, rows: -1 }, { columns: 1.5, rows: 10 }, {
            columns: NaN,
            rows: 1
          }]
        ) {
          const error = yield* failureOf(runtime.spawn({ program: programs.echo, size }))
          assert.deepInclude(error, { _tag: "InvalidRequest", field: "size" })
        }
        assert.deepStrictEqual(recorder.mutations(), [])
      }
    )
  )

  test(
    "spawning",
    "a program learns its pane's size and each new one",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell({ size: { columns: 90, rows: 20 } })
        yield* runtime.sendCommand(handle, "stty size")
        yield* line(handle, printed("20 90"))
        yield* runtime.resize(handle, { columns: 70, rows: 30 })
        yield* runtime.sendCommand(handle, "stty size")
        yield* line(handle, printed("30 70"))
      }
    ),
    { needs: ["resize"] }
  )

  test(
    "idempotent-changes",
    "closing a pane twice is closed and then already closed",
    Effect.fnUntraced(
      function*({ exists, open, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        assert.strictEqual(yield* runtime.closePane(handle), "closed")
        assert.isFalse(yield* exists(handle))
        assert.strictEqual(yield* runtime.closePane(handle), "already-closed")
        assert.strictEqual((yield* runtime.probe([handle]))[0]?.liveness, "gone")
      }
    )
  )
}
