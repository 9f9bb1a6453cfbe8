/**
 * What can be made to go wrong.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { SendProfile } from "../../src/Send.ts"
import type { Handle } from "../../src/Target.ts"

/**
 * A fault of the runtime, or of one pane or window. Counts are of characters; a key counts one.
 *
 * - `Down`: nothing can be asked; with `after`, once so much more was written. Default reason `lost`.
 * - `Missing`: the target is not there, for whoever asks.
 * - `Stall`: so much more is taken, then nothing any more. `submit`: the text is taken and submitted, once, and the pane
 *   never begins with it; the runtime waits for that in vain.
 * - `HalfEnter`: the next submit key is pressed, and the answer to it breaks off. `arrives`: whether the program gets it.
 * - `AnswerLost`: the next write, or the next opening, is done, and the answer to it is lost.
 * - `Lose`: so many of the next characters, or of the next keys, never arrive.
 * - `Reorder`: the next text or key arrives after the one that follows it.
 * - `Slow`: every question and every write takes so long, by the Clock.
 * - `Deaf`: nobody is woken.
 * - `StaleProfile`: the runtime takes the pane for this, whatever it is.
 *
 * `HalfEnter`, `AnswerLost`, `Lose` and `Reorder` happen once; the others stay until `heal`.
 *
 * @category faults
 * @since 0.1.0
 */
export type Fault =
  | { readonly _tag: "Down"; readonly reason?: RuntimeUnavailable["reason"]; readonly after?: number }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Stall"; readonly after: number | "submit" }
  | { readonly _tag: "HalfEnter"; readonly arrives: boolean }
  | { readonly _tag: "AnswerLost" }
  | { readonly _tag: "Lose"; readonly characters?: number; readonly keys?: number }
  | { readonly _tag: "Reorder" }
  | { readonly _tag: "Slow"; readonly by: Duration.Input }
  | { readonly _tag: "Deaf" }
  | { readonly _tag: "StaleProfile"; readonly as: SendProfile }

type Tag = Fault["_tag"]
type Of<T extends Tag> = Extract<Fault, { readonly _tag: T }>

/** The faults that are set, those of a target before those of the runtime. */
export interface Faults {
  readonly set: (fault: Fault, target?: Handle) => void
  readonly find: <T extends Tag>(tag: T, target?: Handle) => Of<T> | undefined
  /** Puts another of its kind in its place, or removes it. */
  readonly replace: <T extends Tag>(tag: T, target: Handle | undefined, by?: Of<T>) => void
  readonly heal: (target?: Handle) => void
}

export const make = (): Faults => {
  const all = new Map<string, Map<Tag, Fault>>()
  const keyOf = (target?: Handle) => target === undefined ? "" : `${target}`
  const holder = (tag: Tag, target: Handle | undefined): Map<Tag, Fault> | undefined =>
    [keyOf(target), ""].map((key) => all.get(key)).find((faults) => faults?.has(tag))
  const isOf = <T extends Tag>(tag: T, fault: Fault | undefined): fault is Of<T> => fault?._tag === tag

  return {
    set: (fault, target) => {
      const key = keyOf(target)
      const faults = all.get(key) ?? new Map<Tag, Fault>()
      faults.set(fault._tag, fault)
      all.set(key, faults)
    },
    find: (tag, target) => {
      const found = holder(tag, target)?.get(tag)
      return isOf(tag, found) ? found : undefined
    },
    replace: (tag, target, by) => {
      const faults = holder(tag, target)
      if (by === undefined) faults?.delete(tag)
      else faults?.set(tag, by)
    },
    heal: (target) => {
      if (target === undefined) all.clear()
      else all.delete(keyOf(target))
    }
  }
}
