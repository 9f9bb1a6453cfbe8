// Run after every change of dependencies: adds lock entries for optional platform packages that the registry in reach does not serve, so that `npm ci` accepts the lock.
import { readFileSync, writeFileSync } from "node:fs"
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"))
const os = { darwin: "darwin", linux: "linux", win32: "win32", android: "android", windows: "win32" }
const cpu = ["arm64", "x64", "arm", "loong64", "ppc64", "riscv64", "ia32"]
let added = 0
for (const [at, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (at === "") continue
    if (lock.packages[`node_modules/${name}`] ?? lock.packages[`${at}/node_modules/${name}`]) continue
    const parts = name.split(/[-/]/)
    const o = Object.keys(os).find((k) => parts.includes(k)), c = cpu.find((k) => parts.includes(k))
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[~^]/, ""),
      ...(c ? { cpu: [c] } : {}),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...(o ? { os: [os[o]] } : {})
    }
    added++
    console.log("added", name, range)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, "en")))
writeFileSync("package-lock.json", JSON.stringify(lock, null, 2) + "\n")
