/** What a person is told who watches while something takes longer than a second, as `cli/progress` tells it. */
import { isatty } from "node:tty"
import { oneLine } from "../../cli/layout.ts"

const units = [["d", 86_400], ["h", 3600], ["m", 60], ["s", 1]] as const

const duration = (seconds: number): string =>
  units.flatMap(([unit, length], at) => {
    const whole = Math.floor(seconds % (units[at - 1]?.[1] ?? Infinity) / length)
    return whole === 0 ? [] : [`${whole}${unit}`]
  }).join(" ")

/** The same result; nothing is told without a title, or where standard error is no terminal. */
export const watched = async <A>(title: string | undefined, result: Promise<A>): Promise<A> => {
  if (title === undefined || !isatty(2)) return result
  const what = oneLine(title).slice(0, 60)
  let seconds = 0
  // Effect is what this way does without
  // @effect-diagnostics-next-line globalTimers:off
  const timer = setInterval(() => process.stderr.write(`\r\u001b[K${what}: ${duration(++seconds)}`), 1000)
  try {
    return await result
  } finally {
    clearInterval(timer)
    if (seconds > 0) process.stderr.write("\r\u001b[K")
  }
}
