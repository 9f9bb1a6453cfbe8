import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Control from "../../../layers/tmux/control.ts"
import * as Version from "../../../layers/tmux/version.ts"

/** A tmux that answers a capture with the screen, and a notification in the middle of it for so many times. */
const fake = (times: number) =>
  `#!/bin/sh
n=1
reply() { n=$((n+1)); printf '%%begin 1 %s 1\\n%s\\n%%end 1 %s 1\\n' "$n" "$1" "$n"; }
printf '%%begin 1 1 0\\n%%end 1 1 0\\n'
left=${times}
while read -r line; do
  case $line in
    *start_time*) reply '12-34 3.3a' ;;
    *capture-pan*)
      if [ "$left" -gt 0 ]; then left=$((left-1)); reply "one
%pause %5
two"; else reply "one
two"; fi ;;
    *display-messag*) word=\${line##* }; reply "$(printf %s "$word" | tr -d "'\\"")" ;;
  esac
done
`

const client = Effect.fnUntraced(function*(times: number) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const binary = join(folder, "tmux")
  writeFileSync(binary, fake(times), { mode: 0o700 })
  return yield* Control.attach({
    apart: (effect) => effect,
    binary,
    server: { path: "/nowhere", args: ["-S", "/nowhere"] },
    env: { PATH: process.env.PATH ?? "" },
    deadline: Duration.seconds(5),
    session: "$0",
    version: Version.parse("3.3a"),
    told: () => {},
    over: () => {}
  })
})

const captured = (times: number) =>
  Effect.gen(function*() {
    const { run } = yield* client(times)
    const { outputs } = yield* run([["capture-pane", "-p", "-t", "%1"]])
    return outputs
  })

describe("a control client", () => {
  it.live("asks again for an answer with a notification in it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* captured(1), ["one\ntwo"])
    }))

  it.live("takes for a part of the screen what stands there again and again", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* captured(9), ["one\n%pause %5\ntwo"])
    }))
})
