/** The version of the package that this file is a part of. */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"

export const version = (): string => {
  try {
    const file = findPackageJSON("..", import.meta.url)
    const manifest: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"))
    return typeof manifest === "object" && manifest !== null && "version" in manifest
      ? String(manifest.version)
      : "unknown"
  } catch {
    return "unknown"
  }
}
