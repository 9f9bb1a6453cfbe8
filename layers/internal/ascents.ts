/**
 * Where a program went back up on its screen: what it prints there stands above marks that were taken before.
 *
 * A step is the time between two looks. Of all ascents those are kept that go higher than every later one: they say of
 * each step how high up rows have been written since.
 */
import type { RawScreen } from "../../src/Contract.ts"

type Ascents = NonNullable<RawScreen["ascents"]>

/** More are merged: then older marks are taken for left a little too often. */
const most = 100

export interface Ascending {
  /** What is printed from now on may stand in this row of the normal screen, counted from the pane's beginning. */
  readonly reach: (row: number) => void
  /** The alternate screen was written to. This is its first row. */
  readonly painted: (row: number) => void
  /** The step of a mark that is taken now, and the ascents since earlier ones. */
  readonly look: (alternate: boolean) => { readonly step: number; readonly ascents: Ascents }
}

export const make = (): Ascending => {
  let ascents: Array<Ascents[number]> = []
  let step = 0
  /** Something happened in this step. */
  let used = false
  /** The last step in which the alternate screen was written to, and its first row. */
  let last: Ascents[number] | undefined

  return {
    reach: (row) => {
      while (ascents.length > 0 && (ascents.at(-1)?.row ?? row) >= row) ascents.pop()
      ascents.push({ step, row })
      const [first, second] = ascents
      if (ascents.length > most && first !== undefined && second !== undefined) {
        ascents = [{ step: second.step, row: first.row }, ...ascents.slice(2)]
      }
      used = true
    },
    painted: (row) => {
      last = { step, row }
      used = true
    },
    look: (alternate) => {
      if (used) step += 1
      used = false
      return { step, ascents: alternate ? (last === undefined ? [] : [last]) : [...ascents] }
    }
  }
}
