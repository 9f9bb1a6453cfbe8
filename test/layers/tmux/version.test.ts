import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../../layers/tmux/version.ts"

describe("a version", () => {
  it("is the same as the program and as the server say it", () => {
    assert.deepStrictEqual(Version.parse("tmux 3.3a\n"), Version.parse("3.3a"))
  })

  it("is read as servers say it", () => {
    const read = (text: string) => {
      const version = Version.parse(text)
      return version === undefined ? undefined : [version.major, version.minor]
    }
    assert.deepStrictEqual(["3.3a", "next-3.8", "2.9", "3.5-rc2", "tmux 3.7c", "master", "", "3"].map(read), [
      [3, 3],
      [3, 8],
      [2, 9],
      [3, 5],
      [3, 7],
      undefined,
      undefined,
      undefined
    ])
  })

  it("decides what is used: all from 3.2 on, less from 3.0 on, nothing before", () => {
    assert.deepStrictEqual(
      ["2.9a", "3.0a", "3.1c", "3.2a", "3.7", "master"].map((text) => Version.support(Version.parse(text))),
      [
        "refused",
        "degraded",
        "degraded",
        "full",
        "full",
        "full"
      ]
    )
  })

  it("says what it lacks", () => {
    assert.deepStrictEqual(Version.missing(Version.parse("3.7")), [])
    assert.include(Version.missing(Version.parse("3.3a")), "pasting into a dead pane without a check")
    assert.isTrue(Version.has(Version.parse("3.3a"), "exitSignals"))
    assert.isFalse(Version.has(Version.parse("3.2a"), "exitSignals"))
  })

  it("tells where a manual size of all windows ends the server", () => {
    assert.deepStrictEqual(
      ["3.2a", "3.3a", "3.6b", "3.7"].map((text) => Version.manualSizeIsDeadly(Version.parse(text))),
      [false, true, true, false]
    )
  })
})
