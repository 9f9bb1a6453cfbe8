import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Keys from "../../src/Keys.ts"
import { table } from "../fixtures/keyBytes.ts"

const application = { applicationCursorKeys: true, applicationKeypad: true }
const normal = { applicationCursorKeys: false }

/** What terminfo says of a terminal, `\E` and `^X` read. */
const capabilities = (): ReadonlyMap<string, string> => {
  const { stdout } = spawnSync("sh", ["-c", "infocmp -1 -x xterm-256color"], { encoding: "utf8" })
  return new Map(
    (stdout ?? "").split("\n").flatMap((line) => {
      const [, name, value] = /^\t(k\w+)=(.*),$/.exec(line) ?? []
      return name === undefined || value === undefined
        ? []
        : [[name, value.replaceAll("\\E", "\x1b").replaceAll("^?", "\x7f")] as const]
    })
  )
}
const terminfo = capabilities()

/** Programs switch the cursor keys to application mode with `smkx` before they use these. */
const names: ReadonlyArray<readonly [string, Keys.Key]> = [
  ["kcuu1", Keys.make("Up")],
  ["kcud1", Keys.make("Down")],
  ["kcuf1", Keys.make("Right")],
  ["kcub1", Keys.make("Left")],
  ["khome", Keys.make("Home")],
  ["kend", Keys.make("End")],
  ["kich1", Keys.make("Insert")],
  ["kdch1", Keys.make("Delete")],
  ["kpp", Keys.make("PageUp")],
  ["knp", Keys.make("PageDown")],
  ["kcbt", Keys.make("Tab", { shift: true })],
  ["kbs", Keys.make("Backspace")],
  ["kent", Keys.make("KPEnter")],
  ...Keys.Named.literals.flatMap((name) =>
    /^F\d/.test(name) ? [[`k${name.toLowerCase()}`, Keys.make(name)] as const] : []
  ),
  ...([
    ["kUP", "Up"],
    ["kDN", "Down"],
    ["kRIT", "Right"],
    ["kLFT", "Left"],
    ["kHOM", "Home"],
    ["kEND", "End"],
    ["kIC", "Insert"],
    ["kDC", "Delete"],
    ["kPRV", "PageUp"],
    ["kNXT", "PageDown"]
  ] as const).flatMap(([name, base]) => [
    [name, Keys.make(base, { shift: true })] as const,
    [`${name}3`, Keys.make(base, { alt: true })] as const,
    [`${name}4`, Keys.make(base, { alt: true, shift: true })] as const,
    [`${name}5`, Keys.make(base, { ctrl: true })] as const,
    [`${name}6`, Keys.make(base, { ctrl: true, shift: true })] as const,
    [`${name}7`, Keys.make(base, { ctrl: true, alt: true })] as const
  ])
]

describe("what a key sends", () => {
  it("is what xterm sends, in both modes", () => {
    for (const row of table) {
      assert.strictEqual(Keys.encode(row.key, normal), row.normal, row.key.toString())
      assert.strictEqual(
        Keys.encode(row.key, application),
        row.application,
        `${row.key.toString()} in application mode`
      )
    }
  })

  it("is in the table for every key that has a name", () => {
    const plain = new Set(table.filter(({ key }) => !key.ctrl && !key.alt && !key.shift).map(({ key }) => key.base))

    assert.deepStrictEqual(Keys.Named.literals.filter((name) => !plain.has(name)), [])
  })

  it("of a keypad depends on its own mode only", () => {
    assert.strictEqual(Keys.encode(Keys.make("KP5"), { applicationCursorKeys: true }), "5")
    assert.strictEqual(
      Keys.encode(Keys.make("Up"), { applicationCursorKeys: false, applicationKeypad: true }),
      "\x1b[A"
    )
  })

  const skipped = terminfo.size === 0 ? ": skipped, infocmp is not installed" : ""
  it.skipIf(terminfo.size === 0)(`is what terminfo says of xterm-256color${skipped}`, () => {
    const known = names.filter(([name]) => terminfo.has(name))

    assert.isAbove(known.length, 80)
    assert.deepStrictEqual(
      known.map(([name, key]) => [name, Keys.encode(key, application)]),
      known.map(([name]) => [name, terminfo.get(name)])
    )
  })
})
