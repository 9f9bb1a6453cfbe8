/** A way to have commands executed by a tmux server. */
import type * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { NoAnswer, OtherServer } from "./failures.ts"
import type { Command } from "./quoting.ts"
import { parse, type Version } from "./version.ts"

/** One life of a server. Its ids are never used twice within it. */
export interface Life {
  readonly incarnation: string
  readonly version: Version | undefined
}

/** What a group of commands did. */
export interface Answer {
  readonly life: Life
  /** What each command printed, those of a branch together; of a group that failed, those before the failure. */
  readonly outputs: ReadonlyArray<string>
  /** What the server said of the command that failed. Those after it were not executed. */
  readonly failure: string | undefined
  /** A line stands in it that may be one of the server's own notifications. */
  readonly disturbed?: boolean
}

export interface Transport {
  /**
   * Executes the commands one after the other, as one: nothing of another client and no output of a pane comes between
   * them. `if-shell` can only be the last one. With `expect`, only by that life of the server.
   */
  readonly run: (
    commands: ReadonlyArray<Command>,
    expect?: string
  ) => Effect.Effect<Answer, NoAnswer | OtherServer>
}

const length = 12

/** Random bytes are taken many at once: to ask for a few costs as much. */
const random = { bytes: Buffer.alloc(0), at: 0 }

/** A word that nobody can guess. */
export const nonce = (): string => {
  if (random.at === random.bytes.length) {
    random.bytes = randomBytes(length * 256)
    random.at = 0
  }
  random.at += length
  return `paneway-${random.bytes.toString("hex", random.at - length, random.at)}`
}

export const print = (text: string, target?: string): Command =>
  target === undefined ? ["display-message", "-p", text] : ["display-message", "-p", "-t", target, text]

/** What a server says about itself: numbers and its version. */
export const lifeFormat = "#{pid}-#{start_time} #{version}"

/** Reads a line that was printed by {@link lifeFormat}. */
export const lifeOf = (line: string): Life | undefined => {
  const [, incarnation, version] = /^(\d+-\d+) (\S+)$/.exec(line) ?? []
  return incarnation === undefined || version === undefined ? undefined : { incarnation, version: parse(version) }
}

const chosenByPanes = /^(?:capture-pane|list-|show-)/

/** Formats that a program in a pane has a say in. */
const formatsOfPanes = /#\{pane_(?:current_|title|start_)/

/** Whether what it prints can hold a line of a pane's choice. */
export const needsGuard = ([name, ...args]: Command): boolean =>
  chosenByPanes.test(name) ||
  (name === "display-message" && args.some((arg) => typeof arg === "string" && formatsOfPanes.test(arg)))

/** The commands with a word printed after each but the last that `needs` it, so that what they print can be told apart. */
export const lines = (
  commands: ReadonlyArray<Command>,
  word: string,
  needs: (command: Command) => boolean = () => true
): ReadonlyArray<Command> =>
  commands.flatMap((command, at) => at < commands.length - 1 && needs(command) ? [command, print(word)] : [command])

const questions = /^(?:capture-pane|display-message|list-\w+|show-\w+)$/

/** Whether it changes nothing, so that it can be asked again. */
export const isQuestion = ([name]: Command): boolean => questions.test(name)

/** Commands after which older servers notify every control client at once: of sessions, of what is in front, of modes. */
const loud = new Set([
  "break-pane",
  "copy-mode",
  "detach-client",
  "join-pane",
  "kill-pane",
  "kill-session",
  "kill-window",
  "move-window",
  "new-session",
  "rename-session",
  "select-pane",
  "select-window",
  "swap-window",
  "switch-client",
  "unlink-window"
])

/**
 * Whether it may end a server, together with another one like it, or with a client that is just being attached: the
 * notifications are made a moment later, of sessions that may be gone by then, and to clients that are not whole yet.
 */
export const isLoud = ([name, ...args]: Command): boolean =>
  loud.has(name) || (name === "if-shell" && args.some((arg) => typeof arg !== "string" && arg.run.some(isLoud)))
