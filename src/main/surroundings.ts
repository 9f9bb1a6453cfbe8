/** What decides whether the host's panes are meant, looked at without reading it. */
import { existsSync, lstatSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"

const choosing =
  /^(?:PANEWAY_RUNTIME|ACE_RUNTIME|TMUX|ACE_TMUX_SESSION|HERDR_\w+|ZELLIJ_SESSION_NAME|STY|KITTY_\w+|WEZTERM_PANE)$/

/** Whether a variable may choose another runtime. */
export const namesRuntime = (env: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(env).some(([name, value = ""]) => value.trim() !== "" && choosing.test(name))

const above = (directory: string): ReadonlyArray<string> => {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...above(parent)]
}

/** Whether there is any config file, whatever it says. */
export const configured = (): boolean => {
  const { HOME, XDG_CONFIG_HOME } = process.env
  const ace = ".ace/runtime/config.yml"
  try {
    return [
      ...above(process.cwd()).flatMap((directory) => [join(directory, ".paneway/config.yml"), join(directory, ace)]),
      ...(XDG_CONFIG_HOME ? [join(XDG_CONFIG_HOME, "paneway/config.yml")] : []),
      ...(HOME ? [join(HOME, ".config/paneway/config.yml"), join(HOME, ace)] : [])
    ].some((file) => existsSync(file))
  } catch {
    return true
  }
}

/** Bytes of a socket's path that every system takes. */
const longest = 100

/** The host's socket, where it lies in a directory of this user alone. */
export const hostSocket = (): string | undefined => {
  const { XDG_RUNTIME_DIR: given } = process.env
  const uid = process.geteuid?.()
  const directory = given !== undefined && isAbsolute(given) ? join(given, "paneway") : join(tmpdir(), `paneway-${uid}`)
  const socket = join(directory, "host.sock")
  if (Buffer.byteLength(socket) > longest) return undefined
  try {
    const info = lstatSync(directory)
    return info.isDirectory() && info.uid === uid && (info.mode & 0o077) === 0 ? socket : undefined
  } catch {
    return undefined
  }
}
