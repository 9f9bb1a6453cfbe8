/** Whether files are there that a pane is to use. What cannot be looked at, whatever its name, is not there. */
import { accessSync, constants, type Stats, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"

/** Where shells find the programs of the system with `command -p`, whatever PATH says. */
export const system = "/usr/bin:/bin:/usr/sbin:/sbin"

/** An environment in which those are found as well. */
export const withSystem = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> => ({
  ...env,
  PATH: env["PATH"] === undefined || env["PATH"] === "" ? system : `${env["PATH"]}${delimiter}${system}`
})

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined // as for names that are too long, and links that lead in a circle
  }
}

export const exists = (path: string): boolean => statOf(path) !== undefined
export const isDirectory = (path: string): boolean => statOf(path)?.isDirectory() === true

export const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Where a name can stand: `execvp` finds one without a slash in PATH; one with it is relative to the directory. */
const candidates = (name: string, cwd: string, path: string): ReadonlyArray<string> =>
  name.includes("/")
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((folder) => resolve(cwd, folder === "" ? "." : folder, name))

/** The file that a name means. */
export const path = (name: string, cwd: string, path: string): string | undefined =>
  name === "" ? undefined : candidates(name, cwd, path).find(isProgram)

/** Whether a name means a file that can be executed. */
export const find = (name: string, cwd: string, path: string): "found" | "missing" | "not-executable" => {
  if (name === "") return "missing"
  const files = candidates(name, cwd, path)
  if (files.some(isProgram)) return "found"
  return files.some((file) => exists(file) && (name.includes("/") || !isDirectory(file))) ? "not-executable" : "missing"
}

/** Whether a shell that is started with these arguments reads commands from its terminal. */
export const isInteractive = (args: ReadonlyArray<string>): boolean =>
  args.includes("-i") || (args.every((arg) => /^[-+]/.test(arg)) && !args.some((arg) => /^-[A-Za-z]*c/.test(arg)))
