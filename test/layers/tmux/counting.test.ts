import { assert, describe, it } from "vitest"
import type { ControlClient } from "../../../layers/tmux/control.ts"
import * as Counting from "../../../layers/tmux/counting.ts"
import * as Heard from "../../../layers/tmux/heard.ts"
import type { Place } from "../../../layers/tmux/place.ts"
import * as Stand from "../../fixtures/tmuxClient.ts"

const place: Place = {
  history: 10,
  limit: 2000,
  columns: 80,
  rows: 24,
  cursor: { row: 3, column: 5 },
  alternate: false,
  pid: "7",
  session: "$0"
}

const counting = (hears: Partial<ControlClient> | undefined) => {
  const heard = Heard.make()
  const client = hears === undefined ? undefined : { ...Stand.client({ run: Stand.unanswered }), ...hears }
  return { heard, ...Counting.make({ hearing: () => client }, heard) }
}

describe("a row", () => {
  it("has a number while all that its pane prints is heard", () => {
    const { positionOf, willCount } = counting({})
    assert.isFalse(willCount("%1"))
    assert.deepInclude(positionOf("%1", place), { row: 13, column: 5 })
    assert.isTrue(willCount("%1"))
  })

  it("has none where nobody hears its session, or the client hears late or not all of the pane", () => {
    for (const hears of [undefined, { hearsAll: () => false }]) {
      const { positionOf, willCount } = counting(hears)
      assert.isUndefined(positionOf("%1", place))
      assert.isFalse(willCount("%1"))
    }
  })

  it("has none any more as soon as its client hears late", () => {
    const client = { late: false }
    const { positionOf, willCount } = counting({ hearsAll: () => !client.late })
    positionOf("%1", place)
    client.late = true
    assert.isFalse(willCount("%1"))
  })

  it("is another one after rows above it were forgotten", () => {
    const { positionOf } = counting({})
    const before = positionOf("%1", place)
    assert.strictEqual(positionOf("%1", { ...place, history: 11 })?.epoch, before?.epoch)
    assert.notStrictEqual(positionOf("%1", { ...place, history: 3 })?.epoch, before?.epoch)
  })
})
