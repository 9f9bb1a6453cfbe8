/**
 * Puts the settings of several files together.
 *
 * @since 0.1.0
 */
import type * as Path from "effect/Path"
import { type Config, groupKeys } from "./schema.ts"

/**
 * @category models
 * @since 0.1.0
 */
export const none: Config = {
  size: {},
  timeouts: {},
  tmux: {},
  pty: {},
  host: {},
  env: {},
  layers: {},
  remotes: {}
}

/**
 * `near` wins, setting by setting. A list, a tmux server and a remote are one setting: a nearer file cannot redirect a
 * remote and keep its token.
 *
 * @category combining
 * @since 0.1.0
 */
export const merge = (far: Config, near: Config): Config => ({
  ...far,
  ...near,
  size: { ...far.size, ...near.size },
  timeouts: { ...far.timeouts, ...near.timeouts },
  tmux: { ...far.tmux, ...near.tmux },
  pty: { ...far.pty, ...near.pty },
  host: { ...far.host, ...near.host },
  env: { ...far.env, ...near.env },
  layers: { ...far.layers, ...near.layers },
  remotes: { ...far.remotes, ...near.remotes }
})

/**
 * The paths of the settings that are there: `runtime`, `timeouts.native`, `remotes.NAME`.
 *
 * @category reading
 * @since 0.1.0
 */
export const keys = (config: Config): ReadonlyArray<string> =>
  Object.entries(config).flatMap(([key, value]) =>
    groupKeys.has(key) || key === "layers" || key === "remotes"
      ? Object.keys(value).map((name) => `${key}.${name}`)
      : [key]
  )

/**
 * Makes the paths absolute that a file in `directory` gives. A program without a slash stays a name to look up on PATH.
 *
 * @category combining
 * @since 0.1.0
 */
export const located = (
  config: Config,
  { path, directory, home }: {
    readonly path: Path.Path
    readonly directory: string
    readonly home: string | undefined
  }
): Config => {
  const place = (text: string) =>
    home !== undefined && text.startsWith("~/") ? path.join(home, text.slice(2)) : path.resolve(directory, text)
  const program = (text: string) => text.includes("/") ? place(text) : text
  const { server, binary } = config.tmux
  const { shell } = config.pty
  return {
    ...config,
    ...(config.trusted === undefined ? {} : { trusted: config.trusted.map(place) }),
    tmux: {
      ...config.tmux,
      ...(typeof server === "object" && "path" in server ? { server: { path: place(server.path) } } : {}),
      ...(binary === undefined ? {} : { binary: program(binary) })
    },
    pty: shell === undefined ? {} : { shell: program(shell) },
    layers: Object.fromEntries(Object.entries(config.layers).map(([name, module]) => [name, place(module)])),
    remotes: Object.fromEntries(
      Object.entries(config.remotes).map(([name, remote]) => [
        name,
        remote.tokenFile === undefined ? remote : { ...remote, tokenFile: place(remote.tokenFile) }
      ])
    )
  }
}
