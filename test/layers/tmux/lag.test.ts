import { assert, describe, it } from "vitest"
import * as Lag from "../../../layers/tmux/lag.ts"

const told = (pieces: ReadonlyArray<readonly [age: number, at: number]>) => {
  const lag = Lag.make()
  for (const [age, at] of pieces) lag.note(age, at)
  return lag
}

const pieces = (count: number, age: number, at = 0) => Array.from({ length: count }, (_, n) => [age, at + n] as const)

describe("a control client", () => {
  it("is in time at first, and while output comes at once, however much", () => {
    assert.isFalse(Lag.make().isBehind(0))
    assert.isFalse(told(pieces(1000, 20)).isBehind(1000))
  })

  it("is not behind for a moment in which the machine was busy", () => {
    assert.isFalse(told(pieces(5, 400)).isBehind(5))
    assert.isFalse(told([...pieces(10, 400), ...pieces(10, 400, 5000)]).isBehind(5010))
  })

  it("is behind at once where output comes so late that no busy moment explains it", () => {
    assert.isTrue(told(pieces(1, 1000)).isBehind(0))
    assert.isFalse(told(pieces(1, 999)).isBehind(0))
  })

  it("is behind while output comes late, and for a second after", () => {
    const lag = told([...pieces(20, 150), ...pieces(20, 0, 20), ...pieces(1, 150, 100)])

    assert.isTrue(lag.isBehind(100))
    assert.isTrue(lag.isBehind(1050))
    assert.isFalse(lag.isBehind(1100))
    assert.isTrue(lag.isBehind(1100, 6000))
    assert.isFalse(lag.isBehind(6100, 6000))
  })
})
