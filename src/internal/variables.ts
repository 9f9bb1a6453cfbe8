/**
 * Which variables a process hands on to the programs that it starts.
 *
 * @since 0.1.0
 */

interface Rules {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

const matcher = (names: ReadonlyArray<string> = []): (name: string) => boolean => {
  const patterns = names.map((name) =>
    new RegExp(`^${name.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s")
  )
  return (name) => patterns.some((pattern) => pattern.test(name))
}

/**
 * Without those that are denied and not allowed; `*` in a name stands for anything.
 *
 * @category environment
 * @since 0.1.0
 */
export const filter = <A>(env: Readonly<Record<string, A>>, rules: Rules = {}): Readonly<Record<string, A>> => {
  const allowed = matcher(rules.allow)
  const denied = matcher(rules.deny)
  return Object.fromEntries(Object.entries(env).filter(([name]) => allowed(name) || !denied(name)))
}
