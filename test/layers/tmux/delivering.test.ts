import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Delivering from "../../../layers/tmux/delivering.ts"
import { NoAnswer, OtherServer } from "../../../layers/tmux/failures.ts"
import * as Heard from "../../../layers/tmux/heard.ts"
import { type Command, group } from "../../../layers/tmux/quoting.ts"
import type { Answer, Transport } from "../../../layers/tmux/transport.ts"
import type { Delivered, Delivery } from "../../../src/Contract.ts"
import * as Keys from "../../../src/Keys.ts"
import { PaneHandle } from "../../../src/Target.ts"

const pane = new PaneHandle({ runtime: "tmux", host: "h", scope: "/s", id: "%1", incarnation: "7-7" })
const life = { incarnation: "7-7", version: undefined }
const place = "OK 5 2000 80 24 3 4 0 99 $0"

type Reply = Partial<Answer> | NoAnswer | OtherServer

/** A server that answers these, and notes what it was asked. */
const server = (...replies: ReadonlyArray<Reply>) => {
  const asked: Array<string> = []
  const left = [...replies]
  const transport: Transport = {
    run: (commands: ReadonlyArray<Command>, expect) =>
      Effect.suspend(() => {
        asked.push(`${expect}: ${group(commands)}`)
        const reply = left.shift() ?? {}
        return "_tag" in reply
          ? Effect.fail(reply)
          : Effect.succeed({ life, outputs: [], failure: undefined, ...reply })
      })
  }
  const heard = Heard.make()
  const positionOf = () => ({ row: 9, column: 3, epoch: "e" })
  return { asked, heard, ...Delivering.make(transport, heard, { positionOf, willCount: () => asked.length > 0 }) }
}

const type = (text: string, paste = false) => ({ _tag: "Type", text, paste }) as const
const press = (base: string) => ({ _tag: "Press", key: Keys.make(base) }) as const

const delivery = (steps: Delivery["steps"], more: Partial<Delivery> = {}): Delivery => ({
  steps,
  profile: "plain-pane",
  unless: ["dead", "in-mode"],
  rows: false,
  stall: Duration.seconds(5),
  ...more
})

const written = { outputs: ["", place] }

describe("a delivery", () => {
  it.effect("checks, takes the place, types and presses in one group, in the life of its handle", () =>
    Effect.gen(function*() {
      const { asked, deliver } = server(written, { outputs: [place] })
      const first = yield* deliver(pane, delivery([type("make;"), press("Enter")]))
      yield* deliver(pane, delivery([type("x")]))

      assert.deepInclude(first, { _tag: "Written", bytes: 6 })
      assert.lengthOf(asked, 2)
      // the first time nothing is known of its rows, so they are taken too
      assert.match(
        asked[0] ?? "",
        /^7-7: capture-pan -p -J -t '%1' ; if-shel -F -t '%1' '#\{==:#\{pane_id\} #\{pane_dead\} \S+ \S+,%1 0 0 0\}' \{ display-messag -p -t '%1' 'OK [^']*' ; send-key -t '%1' -l '--' 'make;' ; send-key -t '%1' '--' Enter \} \{ display-messag -p -t '%1' 'NO [^']*' \}$/
      )
      assert.match(asked[1] ?? "", /^7-7: if-shel /)
    }))

  it.effect("K1: that pastes is not made into a dead pane, whatever the caller does not mind", () =>
    Effect.gen(function*() {
      const { asked, deliver } = server({ outputs: ["%1:99::cat"] }, { outputs: ["", "NO %1 1"] })
      const refused = yield* deliver(pane, delivery([type("a".repeat(5000))], { unless: [] }))

      assert.deepStrictEqual(refused, { _tag: "Refused", obstacles: ["dead"] })
      assert.include(asked[1], "#{==:#{pane_id} #{pane_dead} #{?@paneway_escaped,#{@paneway_escaped},0},%1 0 0}")
      assert.match(asked[1] ?? "", /set-buffe -b '(paneway-[^']+)' '--' a+ ; paste-buffe -d -r -b '\1' -t '%1'/)
    }))

  it.effect("that meets obstacles says which, and one to no pane is not found", () =>
    Effect.gen(function*() {
      const { deliver } = server({ outputs: ["", "NO %1 0 1"] }, { outputs: ["NO  0 0"] }, { outputs: ["NO %2 0 0"] }, {
        failure: "can't find pane: %1"
      }, new OtherServer())
      const one = delivery([type("x")])
      assert.deepStrictEqual(yield* deliver(pane, one), { _tag: "Refused", obstacles: ["in-mode"] })
      for (const reason of ["absent", "absent", "absent", "reissued"]) {
        const error = yield* Effect.flip(deliver(pane, one))
        assert(error._tag === "TargetNotFound")
        assert.strictEqual(error.reason, reason)
      }
    }))

  it.effect("whose answer is lost is in doubt only if it was sent", () =>
    Effect.gen(function*() {
      const lost = (sent: boolean) => new NoAnswer({ reason: "lost", detail: "", sent })
      const { asked, deliver } = server(lost(false), lost(true))
      const before = yield* Effect.flip(deliver(pane, delivery([type("x")])))
      const after = yield* Effect.flip(deliver(pane, delivery([type("x")])))

      assert.deepInclude(before, { _tag: "RuntimeUnavailable", reason: "lost" })
      assert.deepInclude(after, { _tag: "WriteFailed", written: "indeterminate" })
      assert.lengthOf(asked, 2)
    }))

  it.effect("that fails in the middle is in doubt, with the place before it", () =>
    Effect.gen(function*() {
      const { deliver } = server({ ...written, failure: "no buffer" })
      const error = yield* Effect.flip(deliver(pane, delivery([type("a"), press("Enter")])))

      assert.deepInclude(error, { _tag: "WriteFailed", written: "indeterminate" })
      assert(error._tag === "WriteFailed")
      assert.deepInclude(error.before ?? {}, { at: { row: 9, column: 3, epoch: "e" } })
    }))

  it.effect("leaves no buffer where it fails, is refused or is interrupted", () =>
    Effect.gen(function*() {
      const removed = (asked: ReadonlyArray<string>) => {
        const [, name = "none"] = / -b '(paneway-[^']+)'/.exec(asked.find((line) => line.includes(" -b ")) ?? "") ?? []
        assert.strictEqual(asked.at(-1), `7-7: delete-buffe -b '${name}'`)
      }
      const asks = { outputs: ["%1:99:1:cat"] }
      const long = delivery([type("a".repeat(100_000))])
      for (const reply of [{ ...written, failure: "no space" }, { outputs: ["", "", "NO %1 1 0"] }]) {
        const { asked, deliver } = server(asks, reply)
        yield* Effect.exit(deliver(pane, long))
        assert.match(
          asked[1] ?? "",
          /^7-7: load-buffe -b '(paneway-[^']+)' '[^']+' ; .*\{ .*paste-buffe -d -r -b '\1'/
        )
        removed(asked)
      }
      const short = server(asks, { ...written, failure: "no space" })
      yield* Effect.exit(short.deliver(pane, delivery([type("a".repeat(5000))])))
      removed(short.asked)

      const asked: Array<string> = []
      const stuck: Transport = {
        run: (commands) =>
          Effect.suspend(() => {
            asked.push(`7-7: ${group(commands)}`)
            return asked.length === 2 ? Effect.never : Effect.succeed({ life, failure: undefined, ...asks })
          })
      }
      const { deliver } = Delivering.make(stuck, Heard.make(), { positionOf: () => undefined, willCount: () => false })
      const fiber = yield* Effect.forkChild(deliver(pane, long), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      removed(asked)
    }))

  it.effect("of a prompt presses Enter a moment after the text, once, and is in doubt if it cannot", () =>
    Effect.gen(function*() {
      const { asked, deliver } = server(written, { outputs: ["NO %1 0 1"] })
      const fiber = yield* Effect.forkChild(
        Effect.flip(deliver(pane, delivery([{ _tag: "Prompt", text: "do it" }], { profile: "agent-aware" }))),
        { startImmediately: true }
      )
      assert.lengthOf(asked, 1)
      assert.notInclude(asked[0], "Enter")
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)

      assert.deepInclude(error, { _tag: "WriteFailed", stage: "submit", written: "indeterminate" })
      assert.lengthOf(asked, 2)
      assert.include(asked[1], "send-key -t '%1' '--' Enter")
    }))

  const lines = delivery([type("one\ntwo", true)], { unless: ["no-bracketed-paste"] })

  it.effect("of several lines goes to who asked for pastes: by the server, by what was heard, by its name", () =>
    Effect.gen(function*() {
      const by = (flag: string, program: string) => ({ outputs: [`%1:99:${flag}:${program}`] })
      const { asked, deliver, heard } = server(
        by("", "cat"),
        by("0", "bash"),
        by("1", "cat"),
        written,
        by("", "-bash"),
        { outputs: [place] },
        by("", "bash"),
        by("", "cat"),
        { outputs: [place] }
      )
      const refused: Delivered = { _tag: "Refused", obstacles: ["no-bracketed-paste"] }
      assert.deepEqual(yield* deliver(pane, lines), refused)
      assert.deepEqual(yield* deliver(pane, lines), refused)
      assert.deepInclude(yield* deliver(pane, lines), { _tag: "Written", warnings: [] })
      assert.deepInclude(yield* deliver(pane, lines), { _tag: "Written", warnings: ["paste-mode-unknown"] })
      heard.output("%1", Buffer.from("\\033[?2004l"))
      assert.deepEqual(yield* deliver(pane, lines), refused)
      heard.output("%1", Buffer.from("\\033[?2004h"))
      assert.deepInclude(yield* deliver(pane, lines), { _tag: "Written", warnings: [] })
      assert.include(asked.at(-1), "paste-buffe -d -p -r -b")
    }))
})
