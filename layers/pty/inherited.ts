/** Which variables of this process panes get. */

interface Rules {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

type Environment = Readonly<Record<string, string | undefined>>

const matcher = (names: ReadonlyArray<string> = []): (name: string) => boolean => {
  const patterns = names.map((name) =>
    new RegExp(`^${name.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`, "s")
  )
  return (name) => patterns.some((pattern) => pattern.test(name))
}

/** Without those that are denied and not allowed. */
export const filter = (env: Environment, rules: Rules = {}): Environment => {
  const allowed = matcher(rules.allow)
  const denied = matcher(rules.deny)
  return Object.fromEntries(Object.entries(env).filter(([name]) => allowed(name) || !denied(name)))
}
