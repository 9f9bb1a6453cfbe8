import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { statFields } from "../../../layers/internal/processTable.ts"
import { examine } from "../../../layers/Pty.ts"

/** Page faults of children that have ended: each one has some. */
const faultsOfChildren = () => Number(statFields(readFileSync("/proc/self/stat", "latin1"))[8])

const children = () =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "latin1").split(" ").filter((pid) => pid !== "")
  )

const files = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return [] // the one that reads the folder
    }
  })

describe.runIf(process.platform === "linux")("an examination of the embedded pty", () => {
  it.live("starts no program, opens no terminal and leaves nothing behind", () =>
    Effect.gen(function*() {
      const before = [faultsOfChildren(), children(), files().filter((file) => file.includes("pt"))]
      const { facts, usable } = yield* examine
      const after = [faultsOfChildren(), children(), files().filter((file) => file.includes("pt"))]
      spawnSync("true")

      assert.isTrue(usable, facts.join("\n"))
      assert.deepStrictEqual(after, before)
      assert.isAbove(faultsOfChildren(), Number(before[0])) // what the numbers would have told
    }))
})
