/**
 * Whether a control client is told late. The server says of each piece of output how long it waited, and answers wait
 * behind all older output.
 */

export interface Lag {
  /** Output came that waited so many milliseconds. */
  readonly note: (age: number, now: number) => void
  /** It was told late within so many milliseconds: by default, so lately that an answer would come late too. */
  readonly isBehind: (now: number, within?: number) => boolean
}

/** Milliseconds that output waits where the client cannot keep up; less also happens on a busy machine. */
const late = 100

/** Pieces that waited so long, with less than {@link calm} between them. */
const many = 16

/** Milliseconds that no moment explains. */
const veryLate = 1000

/** Milliseconds without late output after which all is told in time again. */
export const calm = 1000

export const make = (): Lag => {
  const state = { inRow: 0, last: Number.NEGATIVE_INFINITY, behind: Number.NEGATIVE_INFINITY }
  return {
    note: (age, now) => {
      if (age < late) return
      state.inRow = now - state.last < calm ? state.inRow + 1 : 1
      state.last = now
      if (state.inRow >= many || age >= veryLate) state.behind = now
    },
    isBehind: (now, within = calm) => now - state.behind < within
  }
}
