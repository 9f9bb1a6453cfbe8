/** Tells who waits for a lock that something happened to its file. */
import { type FSWatcher, watch } from "node:fs"

export interface Changes {
  /** Calls back after each change of the file, until the returned function is called. */
  readonly follow: (directory: string, name: string, wake: () => void) => () => void
  /** False: nothing is told, because the system gives no more watches. */
  readonly told: () => boolean
}

/** One watch of one directory, while anybody follows a file in it. */
export const make = (): Changes => {
  const followers = new Map<string, Set<() => void>>()
  const state: { watcher: FSWatcher | undefined } = { watcher: undefined }

  const stop = () => {
    state.watcher?.close()
    state.watcher = undefined
  }
  const start = (directory: string) => {
    try {
      state.watcher = watch(directory, { persistent: false }, (_, name) => {
        const told = name === null ? [...followers.values()] : [followers.get(name) ?? []]
        for (const wakes of told) for (const wake of wakes) wake()
      })
      state.watcher.on("error", stop)
    } catch {
      stop()
    }
  }

  return {
    follow: (directory, name, wake) => {
      if (followers.size === 0) start(directory)
      const wakes = followers.get(name) ?? new Set()
      followers.set(name, wakes.add(wake))
      return () => {
        wakes.delete(wake)
        if (wakes.size === 0) followers.delete(name)
        if (followers.size === 0) stop()
      }
    },
    told: () => state.watcher !== undefined
  }
}
