/**
 * Tells instances apart among values that callers without types give.
 *
 * @since 0.1.0
 */

/**
 * False also for a value that throws when it is looked at.
 *
 * @category guards
 * @since 0.1.0
 */
export const isInstance = <A>(value: unknown, kind: abstract new(...args: Array<never>) => A): value is A => {
  try {
    return value instanceof kind
  } catch {
    return false
  }
}
