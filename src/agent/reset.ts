/**
 * When a limit ends, as programs say it.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

const again = "(?:resets?|reset at|try again|retry|available again|available|renews?|until|back)"
const within = new RegExp(
  `\\b${again}\\b[^\\d\\n]{0,16}\\bin\\s+((?:\\d+\\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\\b[\\s,]*(?:and\\s+)?){1,4})`,
  "i"
)
const part = /(\d+)\s*(d|h|m|s)/gi
const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const date = `(?:(${months.join("|")})[a-z]*\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?,?\\s+(?:at\\s+)?)?`
const clock = new RegExp(
  `\\b${again}\\b[^\\d\\n]{0,24}?${date}(\\d{1,2})(?::(\\d\\d))?\\s*(am|pm)?(?:\\s*\\(([A-Za-z_+/-]+(?:/[A-Za-z_]+)*)\\)|\\s+(UTC|GMT))?(?![\\d%:])`,
  "i"
)

const zoneOf = (name: string | undefined): DateTime.TimeZone | undefined => {
  if (name === undefined) return DateTime.zoneMakeLocal()
  return Option.getOrUndefined(DateTime.zoneFromString(/^(?:utc|gmt)$/i.test(name) ? "UTC" : name))
}

/**
 * Milliseconds since the epoch; undefined where the text names no time.
 *
 * @internal
 */
export const resetAt = (text: string, now: number): number | undefined => {
  const [, length] = within.exec(text) ?? []
  if (length !== undefined) {
    const rest = [...length.matchAll(part)].reduce(
      (sum, [, count, unit = ""]) => sum + Number(count) * (units[unit.toLowerCase()] ?? 0),
      0
    )
    return now + rest
  }
  const found = clock.exec(text)
  if (found === null) return undefined
  const [, month, day, year, hours, minutes, half, place, utc] = found
  // a bare number is no time of day
  if (half === undefined && minutes === undefined) return undefined
  const zone = zoneOf(place ?? utc)
  if (zone === undefined || Number(hours) > 23 || (half !== undefined && Number(hours) > 12)) return undefined
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0)
  const here = DateTime.toParts(DateTime.makeZonedUnsafe(now, { timeZone: zone }))
  const named = month === undefined ? undefined : months.indexOf(month.toLowerCase().slice(0, 3)) + 1
  const at = (shift: { readonly days: number; readonly years: number }) =>
    DateTime.makeZoned({
      year: year === undefined ? here.year + shift.years : Number(year),
      month: named ?? here.month,
      day: (day === undefined ? here.day : Number(day)) + shift.days,
      hour,
      minute: Number(minutes ?? 0),
      second: 0,
      millisecond: 0
    }, { timeZone: zone, adjustForTimeZone: true })
  const first = at({ days: 0, years: 0 })
  if (Option.isNone(first)) return undefined
  const time = DateTime.toEpochMillis(first.value)
  if (time > now || year !== undefined) return time
  // a time of day that has passed is tomorrow's, a day that has passed is next year's
  const next = at(named === undefined ? { days: 1, years: 0 } : { days: 0, years: 1 })
  return Option.isNone(next) ? undefined : DateTime.toEpochMillis(next.value)
}
