/**
 * Which tmux server: that of the caller, one by its name, or one by the path of its socket. Nothing here starts one.
 */
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import * as SystemError from "../internal/systemError.ts"
import { NoAnswer } from "./failures.ts"

/** `inherit`: the server that the caller is in, else the user's default one. */
export type Choice = "inherit" | { readonly name: string } | { readonly path: string }

type Environment = Readonly<Record<string, string | undefined>>

export interface Server {
  /** Of its socket: tells servers apart. */
  readonly path: string
  /** For every call of `tmux`. */
  readonly args: readonly ["-S", string]
  /** The caller's `TMUX` named it: where it does not run it has ended, and is not started for a variable. */
  readonly inherited?: true
}

/** Bytes of a socket's path that every system takes. */
const longestPath = 100

/** What `TMUX` says: socket, process of the server, number of the session. */
const inherited = ({ TMUX }: Environment): string | undefined => {
  const [path = ""] = (TMUX ?? "").split(",")
  return isAbsolute(path) ? path : undefined
}

const refused = (detail: string) => new NoAnswer({ reason: "refused", detail, sent: false })

/**
 * Where tmux keeps sockets by name. It takes `/tmp` where `TMUX_TMPDIR` is no directory, silently: so another server
 * than the one that was meant.
 */
const folder = (env: Environment, uid: number): string | NoAnswer => {
  const base = env.TMUX_TMPDIR === undefined || env.TMUX_TMPDIR === "" ? "/tmp" : env.TMUX_TMPDIR
  const real = realFolder(base)
  return real === undefined
    ? refused(`TMUX_TMPDIR is ${base}, which is no directory: create it, or unset the variable`)
    : join(real, `tmux-${uid}`)
}

const realFolder = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined
  } catch {
    return undefined
  }
}

/** What keeps a socket from being used there, in words. */
const problem = (path: string, uid: number): string | undefined => {
  if (Buffer.byteLength(path) > longestPath) {
    return `${path} is longer than ${longestPath} bytes, too long for a socket: choose a shorter one`
  }
  const above = dirname(path)
  try {
    const info = statSync(above)
    if (!info.isDirectory()) return `${above} is not a directory: choose another path`
    // tmux checks it for its own directories only
    if (basename(above) === `tmux-${uid}` && (info.mode & 0o077) !== 0) {
      return `others may enter ${above}, so tmux refuses it: run chmod 700 on it`
    }
    const socket = lstatSync(path, { throwIfNoEntry: false })
    return socket === undefined || socket.isSocket() || socket.isSymbolicLink()
      ? undefined
      : `${path} is no socket: choose another path`
  } catch (cause) {
    const code = SystemError.code(cause)
    return code === "ENOENT" ? undefined : `${path} cannot be used (${code}): check its permissions`
  }
}

/** The name of the private server of a workspace, from the real path of its root: short, and the same every time. */
export const privateName = (root: string): string => {
  const real = realFolder(root) ?? resolve(root)
  return `paneway-${createHash("sha256").update(real).digest("hex").slice(0, 12)}`
}

/** The server that is meant, or why it cannot be used. */
export const locate = (choice: Choice, env: Environment, uid: number): Server | NoAnswer => {
  const path = pathOf(choice, env, uid)
  if (typeof path !== "string") return path
  const wrong = problem(path, uid)
  if (wrong !== undefined) return refused(wrong)
  const server: Server = { path, args: ["-S", path] }
  return choice === "inherit" && inherited(env) !== undefined ? { ...server, inherited: true } : server
}

const pathOf = (choice: Choice, env: Environment, uid: number): string | NoAnswer => {
  if (choice !== "inherit" && "path" in choice) {
    return isAbsolute(choice.path) ? choice.path : refused(`${choice.path} is no absolute path of a socket`)
  }
  const own = choice === "inherit" ? inherited(env) : undefined
  if (own !== undefined) return own
  const name = choice === "inherit" ? "default" : choice.name
  if (name === "" || name.includes("/") || name.includes("\0")) return refused(`${name} is no name of a server`)
  const place = folder(env, uid)
  return typeof place === "string" ? join(place, name) : place
}

/** Makes the directory of tmux's own sockets, as tmux does for a server by its name. Of a path it has to be there. */
export const makeFolder = ({ path }: Server): NoAnswer | undefined => {
  const folder = dirname(path)
  if (!/^tmux-\d+$/.test(basename(folder))) return undefined
  try {
    mkdirSync(folder, { mode: 0o700 })
    return undefined
  } catch (cause) {
    const code = SystemError.code(cause)
    return code === "EEXIST" ? undefined : refused(`${folder} cannot be made (${code}): check the permissions above it`)
  }
}

/** What the caller's own variables say of where it runs: the pane, and the server that it belongs to. */
export const caller = (env: Environment): { readonly socket: string; readonly pane: string } | undefined => {
  const socket = inherited(env)
  const pane = env.TMUX_PANE
  return socket !== undefined && pane !== undefined && /^%\d+$/.test(pane) ? { socket, pane } : undefined
}

/**
 * Of every `tmux` that is started: without the variables that choose a server or a client, and with a terminal that
 * every machine has.
 */
export const environment = (env: Environment): Record<string, string> => {
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name === "TMUX" || name === "TMUX_PANE" ? [] : [[name, value] as const]
  )
  return { ...Object.fromEntries(set), TERM: env.TERM === undefined || env.TERM === "" ? "dumb" : env.TERM }
}
