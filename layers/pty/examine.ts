/** Whether this machine has what embedded panes need. Opens no terminal and starts no program. */
import * as Effect from "effect/Effect"
import { accessSync, constants } from "node:fs"
import type { Examination } from "../../src/RuntimeRegistry.ts"
import * as Programs from "../internal/programs.ts"
import * as Native from "./native.ts"

interface Finding {
  readonly good: boolean
  readonly fact: string
  readonly advice: string
}

const module: Effect.Effect<Finding> = Effect.match(Native.load, {
  onFailure: ({ detail }): Finding => ({ good: false, fact: "the native module cannot be loaded", advice: detail }),
  onSuccess: (): Finding => ({
    good: true,
    fact: `the native module for ${process.platform}-${process.arch} is loaded`,
    advice: ""
  })
})

const mayOpen = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

const terminals: Effect.Effect<Finding> = Effect.sync(() => ({
  good: mayOpen("/dev/ptmx"),
  fact: mayOpen("/dev/ptmx") ? "/dev/ptmx can be opened" : "/dev/ptmx cannot be opened",
  advice: "mount devpts: in a container, start it with its default /dev"
}))

/** The shells that need it look for it there, and nowhere else. */
const piped: Effect.Effect<Finding> = Effect.sync(() => {
  const good = Programs.find("stty", "/", Programs.system) === "found"
  return {
    good,
    fact: good
      ? "stty is there, for input from pipes"
      : "stty is missing in /usr/bin and /bin: input from a pipe cannot be passed",
    advice: "install coreutils"
  }
})

export const examine: Effect.Effect<Examination> = Effect.map(Effect.all([module, terminals, piped]), (findings) => ({
  usable: findings.every(({ good }) => good),
  facts: findings.map(({ fact }) => fact),
  advice: findings.flatMap(({ advice, good }) => good ? [] : [advice])
}))
