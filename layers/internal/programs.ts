/** Whether files are there that a pane is to use. What cannot be looked at, whatever its name, is not there. */
import { accessSync, constants, type Stats, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"

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

/** `execvp` finds a name without a slash in the child's PATH; a name with one is relative to the child's directory. */
export const find = (name: string, cwd: string, path: string): "found" | "missing" | "not-executable" => {
  if (name === "") return "missing"
  if (name.includes("/")) {
    const file = resolve(cwd, name)
    return isProgram(file) ? "found" : exists(file) ? "not-executable" : "missing"
  }
  const files = path.split(delimiter).map((folder) => resolve(cwd, folder === "" ? "." : folder, name))
  if (files.some(isProgram)) return "found"
  return files.some((file) => exists(file) && !isDirectory(file)) ? "not-executable" : "missing"
}
