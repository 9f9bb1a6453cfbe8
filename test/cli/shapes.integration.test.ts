import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { shapes } from "../../src/cli/shapes.ts"
import { paneway } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

/** Fails where a key is missing, has another form, or is one that the shape does not know. */
const fits = (name: keyof typeof shapes, text: string) =>
  Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toCodecJson(shapes[name]), { onExcessProperty: "error" })(JSON.parse(text))
  )

describe("--json of commands about this machine", () => {
  it.live("prints one object of the documented shape and nothing else", () =>
    Effect.gen(function*() {
      const { env, home } = yield* user
      const json = Effect.fnUntraced(function*(
        name: keyof typeof shapes,
        words: ReadonlyArray<string>,
        more: Readonly<Record<string, string>> = {}
      ) {
        const ended = yield* paneway(words.includes("--json") ? words : [...words, "--json"], {
          env: { ...env, ...more },
          cwd: home
        })
        assert.deepStrictEqual([ended.code, ended.stderr], [0, ""], words.join(" "))
        assert.strictEqual(ended.stdout.toString().split("\n").length, 2)
        yield* fits(name, ended.stdout.toString())
        return JSON.parse(ended.stdout.toString())
      })

      yield* json("detect", ["detect"])
      yield* json("detect", ["detect", "--runtime", "pty"])
      const lost = yield* json("detect", ["detect"], { TMUX: "/tmp/server,1,0", STY: "7.here", KITTY_WINDOW_ID: "1" })
      assert.deepInclude(lost, { runtime: "tmux", reason: "detected" })
      assert.isAbove(lost.lost.length, 0)
      mkdirSync(join(home, ".config", "paneway"), { recursive: true })
      writeFileSync(join(home, ".config", "paneway", "config.yml"), "prefer: [pty, tmux]\n")
      const preferred = yield* json("detect", ["detect"])
      assert.deepInclude(preferred, { reason: "preferred", prefer: ["pty", "tmux"] })
      yield* json("doctor", ["doctor", "--runtime", "pty"])
      yield* json("context", ["context", "--runtime", "pty"])
      yield* json("host-start", ["host", "start"])
      yield* json("host-status", ["host", "status"])
      const { handle } = yield* json("pane", ["spawn", "--window", "one"])
      const inside = yield* json("pane", [
        "spawn",
        "--json",
        "--",
        "sh",
        "-c",
        `paneway context --json > ${home}/context.json; exec cat`
      ])
      yield* json("resize", ["resize", handle, "90x30"])
      yield* json("focus", ["focus", "one"])
      const script = `until [ -s ${home}/context.json ]; do sleep 0.05; done; cat ${home}/context.json`
      const context = yield* paneway(["run", "--timeout", "20s", "--", "sh", "-c", script], { env, cwd: home })
      yield* fits("context", context.stdout.toString())
      assert.deepInclude(JSON.parse(context.stdout.toString()), { inRuntime: true, pane: inside.handle })
      yield* json("host-stop", ["host", "stop", "--force"])
    }), 60_000)
})
