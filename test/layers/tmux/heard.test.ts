import { assert, describe, it } from "@effect/vitest"
import * as Heard from "../../../layers/tmux/heard.ts"

const fed = (...chunks: ReadonlyArray<string>) => {
  const heard = Heard.make()
  for (const chunk of chunks) heard.output("%1", Buffer.from(chunk))
  return { marks: heard.marksPastes("%1"), generation: heard.generation("%1") }
}

describe("whether a program wants pastes marked", () => {
  it("is not known before it says so", () => {
    assert.isUndefined(fed("hello 2004h [?2004h").marks)
  })

  it("is what it said last, alone or with other modes", () => {
    assert.isTrue(fed("\\033[?2004h").marks)
    assert.isFalse(fed("\\033[?2004h", "x\\033[?2004ly").marks)
    assert.isTrue(fed("\\033[?1049;2004;25h").marks)
    assert.isTrue(fed("\\033[?2004l\\033[?2004h").marks)
    assert.isUndefined(fed("\\033[?12004h\\033[?20041h").marks)
  })

  it("is forgotten by a reset", () => {
    assert.isFalse(fed("\\033[?2004h", "\\033c").marks)
    assert.isTrue(fed("\\033c\\033[?2004h").marks)
  })

  it("is heard wherever the output is cut", () => {
    const whole = "text\\033[?1;2004hmore"
    for (let at = 1; at < whole.length; at++) assert.isTrue(fed(whole.slice(0, at), whole.slice(at)).marks, `${at}`)
    assert.isTrue(fed(...whole.split("")).marks)
  })

  it("is not known after output was missed", () => {
    const heard = Heard.make()
    heard.output("%1", Buffer.from("\\033[?2004h"))
    heard.missed("%1")
    assert.isUndefined(heard.marksPastes("%1"))
  })
})

describe("the generation of a pane's rows", () => {
  it("stays while rows only come", () => {
    assert.strictEqual(fed("a\\015\\012b\\033[2J\\033[H", "c").generation, 0)
  })

  it("is another one after rows were erased above the screen, wherever the output is cut", () => {
    const whole = "x\\033[H\\033[2J\\033[3Jy"
    for (let at = 1; at < whole.length; at++) {
      assert.isAbove(fed(whole.slice(0, at), whole.slice(at)).generation, 0, `${at}`)
    }
    assert.isAbove(fed("\\033c").generation, 0)
  })

  it("is another one when there are fewer rows than before, or output was missed", () => {
    const heard = Heard.make()
    heard.history("%1", 10)
    heard.history("%1", 12)
    assert.strictEqual(heard.generation("%1"), 0)
    heard.history("%1", 11)
    assert.strictEqual(heard.generation("%1"), 1)
    heard.missed("%1")
    assert.strictEqual(heard.generation("%1"), 2)
    assert.strictEqual(heard.generation("%2"), 0)
  })

  it("is never one that a pane had before it was forgotten", () => {
    const heard = Heard.make()
    heard.missed("%1")
    for (let pane = 2; pane < 6000; pane++) heard.output(`%${pane}`, Buffer.from("x"))
    assert.isAbove(heard.generation("%1"), 1)
  })
})
