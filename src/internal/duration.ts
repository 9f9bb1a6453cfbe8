/**
 * Durations as people write them in flags and in config files: `500ms`, `30s`, `2m`, `1.5h`. A bare number is seconds.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

const units: ReadonlyMap<string, Duration.Duration> = new Map(
  [
    { names: ["nano", "nanos"], length: Duration.nanos(1n) },
    { names: ["micro", "micros"], length: Duration.micros(1n) },
    { names: ["ms", "milli", "millis"], length: Duration.millis(1) },
    { names: ["", "s", "second", "seconds"], length: Duration.seconds(1) },
    { names: ["m", "minute", "minutes"], length: Duration.minutes(1) },
    { names: ["h", "hour", "hours"], length: Duration.hours(1) },
    { names: ["d", "day", "days"], length: Duration.days(1) },
    { names: ["week", "weeks"], length: Duration.weeks(1) }
  ].flatMap(({ names, length }) => names.map((name) => [name, length] as const))
)

const form = /^(?<sign>[+-]?)(?<amount>\d+(?:\.\d*)?|\.\d+)\s*(?<unit>[A-Za-zµ]*)$/

const examples = "such as 500ms, 30s, 2m, 1h or 1d (a bare number is seconds)"

/**
 * Reads a duration. A failure is the form that was expected, to be shown after "expected".
 *
 * Also accepts the words of Effect (`30 seconds`) and `infinity`, which waits allow.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string): Result.Result<Duration.Duration, string> => {
  const trimmed = text.trim()
  if (/^infinity$/i.test(trimmed)) return Result.succeed(Duration.infinity)
  const parts = form.exec(trimmed)?.groups
  if (parts === undefined) return Result.fail(`a duration ${examples}`)
  if (parts["sign"] === "-") return Result.fail(`a duration that is not negative, ${examples}`)
  const unit = units.get(parts["unit"] ?? "")
  if (unit === undefined) {
    return Result.fail(`a duration in ms, s, m, h or d, such as 30s; "${parts["unit"]}" is not a unit`)
  }
  const millis = Number(parts["amount"]) * Duration.toMillis(unit)
  if (millis > Number.MAX_SAFE_INTEGER) return Result.fail(`a shorter duration, ${examples}; or infinity`)
  return Result.succeed(Duration.millis(millis))
}

/**
 * Writes a duration so that {@link parse} gives it back, to the nanosecond.
 *
 * @category printing
 * @since 0.1.0
 */
export const print = (duration: Duration.Duration): string =>
  Duration.isFinite(duration) ? `${Duration.toMillis(duration)}ms` : "infinity"
