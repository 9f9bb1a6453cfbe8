/**
 * Roots of windows as they are compared: absolute paths in one spelling each.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** On whatever system the runtime runs. */
const absolute = /^(?:[A-Za-z]:)?[\\/]/

/**
 * @category guards
 * @since 0.1.0
 */
export const isAbsolute = (root: string): boolean => absolute.test(root)

/**
 * Without empty and `.` segments, without a slash at the end, and with `..` resolved by its text.
 *
 * @category reading
 * @since 0.1.0
 */
export const normalize = (root: string): string => {
  const [drive = ""] = /^[A-Za-z]:(?=[\\/])/.exec(root) ?? []
  const separator = drive === "" ? "/" : /[\\/]/
  const kept: Array<string> = []
  for (const segment of root.slice(drive.length).split(separator)) {
    if (segment === "" || segment === ".") continue
    if (segment === "..") kept.pop()
    else kept.push(segment)
  }
  return `${drive}/${kept.join("/")}`
}

/**
 * The real path of a root where it exists, else the root itself. An adapter that is on the same file system provides
 * one where it makes the service; the default knows no file system and compares spellings.
 *
 * @category references
 * @since 0.1.0
 */
export const RealPath = Context.Reference<(root: string) => Effect.Effect<string>>("paneway/internal/roots/RealPath", {
  defaultValue: () => Effect.succeed
})
