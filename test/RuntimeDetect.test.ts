import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as RuntimeDetect from "../src/RuntimeDetect.ts"

type Env = Readonly<Record<string, string | undefined>>

const whole = {
  tmux: { TMUX: "/tmp/tmux-1000/default,4711,0" },
  herdr: { HERDR_ENV: "1", HERDR_PANE_ID: "p7" },
  zellij: { ZELLIJ_SESSION_NAME: "main" },
  screen: { STY: "4711.pts-0.host" },
  pty: { PANEWAY_PANE: "pty:p1~0123456789", PANEWAY_SOCKET: "/run/user/1000/paneway/host.sock" },
  kitty: { KITTY_WINDOW_ID: "3", KITTY_LISTEN_ON: "unix:/tmp/kitty" },
  wezterm: { WEZTERM_PANE: "0" }
} as const satisfies Record<RuntimeDetect.DetectedRuntime, Env>

const name = (env: Env) => Option.map(RuntimeDetect.detect(env).found, ({ runtime }) => runtime)

describe("RuntimeDetect", () => {
  it.each<readonly [string, RuntimeDetect.DetectedRuntime | undefined, Env]>([
    ["nothing at all", undefined, {}],
    ["TMUX", "tmux", whole.tmux],
    ["ACE_TMUX_SESSION alone", "tmux", { ACE_TMUX_SESSION: "work" }],
    ["HERDR_ENV=1 with HERDR_PANE_ID", "herdr", whole.herdr],
    ["HERDR_SESSION with HERDR_PANE", "herdr", { HERDR_SESSION: "work", HERDR_PANE: "p7" }],
    ["HERDR_ENV=1 alone", undefined, { HERDR_ENV: "1" }],
    ["HERDR_ENV other than 1", undefined, { HERDR_ENV: "0", HERDR_PANE_ID: "p7" }],
    ["HERDR_PANE_ID alone", undefined, { HERDR_PANE_ID: "p7" }],
    ["HERDR_SESSION alone, which only selects a session", undefined, { HERDR_SESSION: "work" }],
    ["HERDR_PANE alone", undefined, { HERDR_PANE: "p7" }],
    ["one half of each herdr pair", undefined, { HERDR_ENV: "1", HERDR_PANE: "p7" }],
    ["ZELLIJ_SESSION_NAME", "zellij", whole.zellij],
    ["STY", "screen", whole.screen],
    ["PANEWAY_PANE with PANEWAY_SOCKET", "pty", whole.pty],
    ["PANEWAY_PANE alone", undefined, { PANEWAY_PANE: whole.pty.PANEWAY_PANE }],
    ["PANEWAY_SOCKET alone", undefined, { PANEWAY_SOCKET: whole.pty.PANEWAY_SOCKET }],
    ["KITTY_WINDOW_ID with KITTY_LISTEN_ON", "kitty", whole.kitty],
    ["KITTY_WINDOW_ID alone: no remote control", undefined, { KITTY_WINDOW_ID: "3" }],
    ["KITTY_LISTEN_ON alone: not in a kitty window", undefined, { KITTY_LISTEN_ON: "unix:/tmp/kitty" }],
    ["WEZTERM_PANE", "wezterm", whole.wezterm],
    ["blank values", undefined, { TMUX: "", STY: "  ", ZELLIJ_SESSION_NAME: "\t\n", WEZTERM_PANE: undefined }],
    ["a blank half", undefined, { HERDR_ENV: "1", HERDR_PANE_ID: " " }],
    ["a blank TMUX before another runtime", "screen", { TMUX: " ", ...whole.screen }],
    ["variables of no runtime", undefined, { PATH: "/opt/tmux/bin", TERM: "tmux-256color", TMUX_PANE: "%1" }]
  ])("%s gives %s", (_, expected, env) => {
    assert.deepStrictEqual(name(env), Option.fromUndefinedOr(expected))
  })

  it("lets the earlier of any two win", () => {
    const pairs = RuntimeDetect.order.flatMap((first, index) =>
      RuntimeDetect.order.slice(index + 1).map((second) => ({ first, second }))
    )
    for (const { first, second } of pairs) {
      const detection = RuntimeDetect.detect({ ...whole[second], ...whole[first] })

      assert.deepStrictEqual(Option.map(detection.found, ({ runtime }) => runtime), Option.some(first))
      assert.deepStrictEqual(detection.lost.map(({ runtime, reason }) => [runtime, reason]), [[second, "outranked"]])
    }
  })

  it("lets a multiplexer win over the terminal around it, and tmux over herdr", () => {
    assert.deepStrictEqual(RuntimeDetect.order, ["tmux", "herdr", "zellij", "screen", "pty", "kitty", "wezterm"])
  })

  it("names the variables that decided", () => {
    const { found, lost } = RuntimeDetect.detect({ ...whole.herdr, ACE_TMUX_SESSION: " work ", ...whole.tmux })

    assert.deepStrictEqual(Option.getOrUndefined(found), {
      runtime: "tmux",
      evidence: ["TMUX=/tmp/tmux-1000/default,4711,0", "ACE_TMUX_SESSION=work"]
    })
    assert.deepStrictEqual(lost, [
      { runtime: "herdr", evidence: ["HERDR_ENV=1", "HERDR_PANE_ID=p7"], missing: [], reason: "outranked" }
    ])
  })

  it("tells what would have completed the evidence", () => {
    const { found, lost } = RuntimeDetect.detect({ HERDR_ENV: "0", HERDR_PANE_ID: "p7", KITTY_WINDOW_ID: "3" })

    assert.deepStrictEqual(found, Option.none())
    assert.deepStrictEqual(lost, [
      {
        runtime: "herdr",
        evidence: ["HERDR_ENV=0", "HERDR_PANE_ID=p7"],
        missing: ["HERDR_ENV=1"],
        reason: "incomplete"
      },
      { runtime: "kitty", evidence: ["KITTY_WINDOW_ID=3"], missing: ["KITTY_LISTEN_ON"], reason: "incomplete" }
    ])
  })

  it("leaves out the half of a pair where the other pair is whole", () => {
    const { found } = RuntimeDetect.detect({ ...whole.herdr, HERDR_SESSION: "work" })

    assert.deepStrictEqual(Option.getOrUndefined(found)?.evidence, ["HERDR_ENV=1", "HERDR_PANE_ID=p7"])
  })

  it("shows a value on one bounded line that no terminal obeys", () => {
    const [long] = RuntimeDetect.detect({ STY: "x".repeat(5000) }).found.pipe(Option.getOrThrow).evidence
    const [hostile] =
      RuntimeDetect.detect({ STY: "a\u001b[2J\nb\u009bc\u202ed" }).found.pipe(Option.getOrThrow).evidence

    assert.strictEqual(long, `STY=${"x".repeat(120)}...`)
    assert.strictEqual(hostile, "STY=a\\u{1b}[2J\\u{a}b\\u{9b}c\\u{202e}d")
  })
})
