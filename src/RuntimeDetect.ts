/**
 * Which runtime the caller sits in, from the variables that terminal programs set in their panes.
 *
 * Pure: it reads the environment that it is given and nothing else. A program that is merely installed is no evidence.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { present, variable } from "./internal/evidence.ts"

/**
 * The runtimes that leave evidence in the environment of their panes, the one that wins first: a multiplexer wins over
 * the terminal around it, and tmux over herdr.
 *
 * @category models
 * @since 0.1.0
 */
export const order = ["tmux", "herdr", "zellij", "screen", "pty", "kitty", "wezterm"] as const

/**
 * @category models
 * @since 0.1.0
 */
export type DetectedRuntime = (typeof order)[number]

/**
 * A runtime and the variables that speak for it, as `NAME=value`. Values are names, ids and paths, shown on one line and
 * cut.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sighting {
  readonly runtime: DetectedRuntime
  readonly evidence: ReadonlyArray<string>
}

/**
 * A runtime of which something was seen and that was not chosen. `outranked`: it is there, and another one wins.
 * `incomplete`: `missing` names what would have completed its evidence.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lost extends Sighting {
  readonly reason: "outranked" | "incomplete"
  readonly missing: ReadonlyArray<string>
}

/**
 * What the environment says. `lost` is in the order of {@link order}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Detection {
  readonly found: Option.Option<Sighting>
  readonly lost: ReadonlyArray<Lost>
}

interface Sign {
  readonly variable: string
  /** Absent: any value that is not blank. */
  readonly value?: string
}

/** Each entry of the outer list is enough; it needs all of its signs. */
const proofs: Readonly<Record<DetectedRuntime, ReadonlyArray<ReadonlyArray<Sign>>>> = {
  tmux: [[{ variable: "TMUX" }], [{ variable: "ACE_TMUX_SESSION" }]],
  herdr: [
    [{ variable: "HERDR_ENV", value: "1" }, { variable: "HERDR_PANE_ID" }],
    [{ variable: "HERDR_SESSION" }, { variable: "HERDR_PANE" }]
  ],
  zellij: [[{ variable: "ZELLIJ_SESSION_NAME" }]],
  screen: [[{ variable: "STY" }]],
  pty: [[{ variable: "PANEWAY_PANE" }, { variable: "PANEWAY_SOCKET" }]],
  kitty: [[{ variable: "KITTY_WINDOW_ID" }, { variable: "KITTY_LISTEN_ON" }]],
  wezterm: [[{ variable: "WEZTERM_PANE" }]]
}

interface Look extends Sighting {
  /** Empty: the evidence is complete. */
  readonly missing: ReadonlyArray<string>
}

const lookFor = (runtime: DetectedRuntime, env: Readonly<Record<string, string | undefined>>): Look => {
  const looks = proofs[runtime].map((signs) => {
    const seen = signs.flatMap((sign) => {
      const value = present(env, sign.variable)
      return value === undefined ? [] : [{ sign, value }]
    })
    const good = seen.filter(({ sign, value }) => sign.value === undefined || sign.value === value)
    return {
      evidence: seen.map(({ sign, value }) => variable(sign.variable, value)),
      missing: signs.filter((sign) => !good.some((one) => one.sign === sign))
        .map((sign) => sign.value === undefined ? sign.variable : `${sign.variable}=${sign.value}`)
    }
  })
  const complete = looks.filter((look) => look.missing.length === 0)
  const told = complete.length > 0 ? complete : looks.filter((look) => look.evidence.length > 0)
  return {
    runtime,
    evidence: told.flatMap((look) => look.evidence),
    missing: told.flatMap((look) => look.missing)
  }
}

/**
 * Decides by the environment alone; none where it holds no complete evidence.
 *
 * @category detection
 * @since 0.1.0
 */
export const detect = (env: Readonly<Record<string, string | undefined>>): Detection => {
  const looks = order.map((runtime) => lookFor(runtime, env)).filter((look) => look.evidence.length > 0)
  const winner = looks.find((look) => look.missing.length === 0)
  return {
    found: Option.map(Option.fromUndefinedOr(winner), ({ runtime, evidence }) => ({ runtime, evidence })),
    lost: looks.filter((look) => look !== winner).map(({ runtime, evidence, missing }) => ({
      runtime,
      evidence,
      missing,
      reason: missing.length === 0 ? "outranked" : "incomplete"
    }))
  }
}
