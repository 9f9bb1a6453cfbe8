/**
 * The output of a command as a screen shows it, between the two lines that stand around it.
 *
 * @since 0.1.0
 */
import * as Screen from "../Screen.ts"
import { isAround, type ShellCommand } from "./shellCommand.ts"

/**
 * `truncated`: its beginning is not there.
 *
 * @internal
 */
export interface Output {
  readonly output: string
  readonly truncated: boolean
}

/** Colours and styles around the lines, where they are captured. */
const styles = /\u001b\[[0-9;:]*m/g

/**
 * Finds the line that tells the end; its first group is the exit code.
 *
 * @internal
 */
export const endOf = ({ end }: ShellCommand): RegExp => new RegExp(`^${end}(\\d+)$`)

const linesOf = (screen: Screen.Screen) => Screen.logicalLines(screen).map(({ text }) => text)

const above = ({ begin, nonce }: ShellCommand, lines: ReadonlyArray<string>, last: number): Output => {
  const plain = lines.slice(0, last).map((line) => line.replaceAll(styles, ""))
  // what was typed before the shell was ready is run behind its prompt
  const first = plain.findLastIndex((line) => line.endsWith(begin))
  if (first !== -1) return { output: lines.slice(first + 1, last).join("\n"), truncated: false }
  // its beginning is gone: what stands behind rows of an earlier command may be that one's
  const typedAt = plain.findLastIndex(isAround)
  const ours = typedAt === -1 || plain[typedAt]?.includes(nonce) === true
  return { output: ours ? lines.slice(typedAt + 1, last).join("\n") : "", truncated: true }
}

/**
 * The output above the line of its end, exactly as it was printed, with its last newline if it had one. Undefined: that
 * line is not on the screen.
 *
 * @internal
 */
export const finished = (typed: ShellCommand, screen: Screen.Screen): Output | undefined => {
  const lines = linesOf(screen)
  const last = lines.findLastIndex((line) => line.replaceAll(styles, "").startsWith(typed.end))
  return last === -1 ? undefined : above(typed, lines, last)
}

/**
 * All that stands on the screen since the command began, where its shell is gone and nothing follows.
 *
 * @internal
 */
export const unended = (typed: ShellCommand, screen: Screen.Screen): Output => {
  const lines = linesOf(screen)
  const last = lines.findLastIndex((line) => line.trim() !== "") + 1
  const { output, truncated } = above(typed, lines, last)
  const inRow = screen.cursor !== undefined && screen.cursor.column > 0
  return { output: output === "" || inRow ? output : `${output}\n`, truncated }
}
