import { assert, describe, it } from "@effect/vitest"
import * as Screen from "../../src/Screen.ts"
import * as Target from "../../src/Target.ts"

const pane = new Target.PaneHandle({ runtime: "pty", host: "h", scope: "s", id: "p1", incarnation: "1" })

const counted = (rows: ReadonlyArray<string>, more: Partial<Screen.Screen> & { readonly epoch?: string } = {}) => {
  const { epoch = "0", origin = 0, ...rest } = more
  return new Screen.Screen({
    rows,
    wrapped: [],
    joined: false,
    truncated: origin > 0,
    origin,
    mark: new Screen.Mark({ pane, at: { row: origin + rows.length, column: 0, epoch } }),
    ...rest
  })
}
const plain = (rows: ReadonlyArray<string>, truncated = false) =>
  new Screen.Screen({ rows, wrapped: [], joined: true, truncated, mark: new Screen.Mark({ pane }) })

const at = (row: number, column: number, typed?: string, epoch = "0") =>
  new Screen.Mark({
    pane,
    at: { row, column, epoch },
    ...(typed === undefined ? {} : { echo: Screen.echoOf(typed) })
  })
const after = (lines: ReadonlyArray<string>, typed?: string) =>
  new Screen.Mark({
    pane,
    anchor: lines.map(Screen.lineHash),
    ...(typed === undefined ? {} : { echo: Screen.echoOf(typed) })
  })

const seen = (screen: Screen.Screen, mark: Screen.Mark | undefined) => {
  const { lines, markLost } = Screen.linesAfter(screen, mark)
  return { lines: lines.map(({ text }) => text), markLost }
}
const found = (...lines: ReadonlyArray<string>) => ({ lines, markLost: false })
const lost = (...lines: ReadonlyArray<string>) => ({ lines, markLost: true })

describe("without a mark", () => {
  it("every logical line counts", () => {
    assert.deepStrictEqual(seen(counted(["a", "b", "c"], { wrapped: [0] }), undefined), found("ab", "c"))
  })
})

describe("after a mark that began with the pane", () => {
  const first = new Screen.Mark({ pane, anchor: [Screen.beginning, ...["$"].map(Screen.lineHash)] })

  it("the prompt that comes again is not taken for the one before it", () => {
    assert.deepStrictEqual(seen(plain(["$ ", "DONE", "$ "]), first), found("DONE", "$ "))
    assert.deepStrictEqual(seen(plain(["$ make", "DONE", "$ "]), first), found("$ make", "DONE", "$ "))
  })

  it("a beginning that is not there any more is lost", () => {
    const second = new Screen.Mark({ pane, anchor: [Screen.beginning, ...["a", "$"].map(Screen.lineHash)] })
    assert.deepStrictEqual(seen(plain(["x", "$ ", "DONE"], true), first), lost("x", "$ ", "DONE"))
    assert.deepStrictEqual(seen(plain(["x", "$ ", "DONE"]), second), lost("x", "$ ", "DONE"))
  })

  it("all counts where there was nothing before it", () => {
    const empty = new Screen.Mark({ pane, anchor: [Screen.beginning] })
    assert.deepStrictEqual(seen(plain(["a", "b"]), empty), found("a", "b"))
  })
})

describe("after a counted mark", () => {
  it("case 97: only what came later is seen, from its column on", () => {
    assert.deepStrictEqual(seen(counted(["DONE", "$ x", "DONE"]), at(1, 2)), found("x", "DONE"))
    assert.deepStrictEqual(seen(counted(["DONE", "$ "]), at(1, 2)), found(""))
    assert.deepStrictEqual(seen(counted(["DONE"]), at(1, 0)), found())
  })

  it("case 98: a line with much after it is seen", () => {
    const rows = ["DONE", "$ ", "target", ..."x".repeat(600).split("")]

    assert.deepStrictEqual(seen(counted(rows), at(1, 2)).lines[1], "target")
  })

  it("rows that are no longer held need no look", () => {
    assert.deepStrictEqual(seen(counted(["b", "c"], { origin: 7 }), at(3, 0, "b")), found("b", "c"))
  })

  it("a logical line that began before it goes on", () => {
    const screen = counted(["0123456789", "0123456789", "end", "next"], { wrapped: [0, 1], origin: 20 })

    assert.deepStrictEqual(seen(screen, at(21, 4)), found("456789end", "next"))
    assert.deepStrictEqual(seen(screen, at(22, 0)), found("end", "next"))
  })

  it("columns are cells: a wide character takes two, a combining one none", () => {
    assert.deepStrictEqual(seen(counted(["漢字> new"]), at(0, 6)), found("new"))
    assert.deepStrictEqual(seen(counted(["e\u0301> new"]), at(0, 3)), found("new"))
    assert.deepStrictEqual(seen(counted(["😀 new"]), at(0, 3)), found("new"))
  })

  it("of joined rows only the first is counted", () => {
    assert.deepStrictEqual(seen(counted(["$ x", "y"], { joined: true, origin: 5 }), at(5, 2)), found("x", "y"))
    assert.deepStrictEqual(seen(counted(["$ x", "y"], { joined: true, origin: 4 }), at(5, 2)), lost("$ x", "y"))
  })

  it("case 107: the typed line is not seen, and a program that prints the same words is", () => {
    assert.deepStrictEqual(seen(counted(["$ echo hi", "hi", "$ "]), at(0, 2, "echo hi")), found("hi", "$ "))
    assert.deepStrictEqual(seen(counted(["hello", "hello"]), at(0, 0, "hello")), found("hello"))
    assert.deepStrictEqual(seen(counted(["$ ", "hi"]), at(0, 2, "echo hi")), found("", "hi"))
  })

  it("the typed line is known although the terminal wrapped it", () => {
    const screen = counted(["$ echo a long", " line of text", "out"], { wrapped: [0] })

    assert.deepStrictEqual(seen(screen, at(0, 2, "echo a long line of text")), found("out"))
  })

  it("the typed line is known although its editor broke it into rows", () => {
    const rows = ["$ echo a long", "line of text", "out", "echo a long line of text"]
    const typed = "echo a long line of text"

    assert.deepStrictEqual(seen(counted(rows), at(0, 2, typed)), found("out", "echo a long line of text"))
    assert.deepStrictEqual(seen(counted(["$ ", "", ...rows]), at(0, 2, typed)).lines.slice(2), ["out", typed])
    assert.deepStrictEqual(seen(counted(["$ ", "echo a long", "", "line of text"]), at(0, 2, typed)).lines.length, 4)
    assert.deepStrictEqual(seen(counted(["$ ", "an echo", "DONE"]), at(0, 2, "echo DONE")).lines.length, 3)
  })

  it("what stands to the right of the typed line stays", () => {
    const typed = at(0, 2, "echo DONE")

    assert.deepStrictEqual(seen(counted(["$ echo DONE   [at]", "DONE  x"]), typed), found("[at]", "DONE  x"))
    assert.deepStrictEqual(seen(counted(["$ echo DONE [at]", "DONE"]), typed), found("[at]", "DONE"))
    assert.deepStrictEqual(seen(counted(["$ ", "> echo DONE  [at]"]), typed), found("", "[at]"))
    for (const other of ["> echo DONE [at]", "> re-echo DONE1  x", "1echo DONE  [at]"]) {
      assert.deepStrictEqual(seen(counted(["$ ", other]), typed), found("", other))
    }
  })

  it("what was typed before there was a prompt is not seen at the prompt either", () => {
    const typed = "echo DONE"

    assert.deepStrictEqual(seen(counted([typed, "", `$ ${typed}`, "DONE"]), at(0, 0, typed)), found("", "DONE"))
    assert.deepStrictEqual(
      seen(counted(["$ sleep 1", typed, `\u276f ${typed}`, `$ ${typed}`]), at(0, 2, typed)),
      found("sleep 1", `$ ${typed}`)
    )
    assert.deepStrictEqual(
      seen(counted(["a", "b", "$ a", "1", "$ b", "2"]), at(0, 0, "a\nb")),
      found("1", "2")
    )
    for (const said of [typed, `You said: ${typed}`]) {
      assert.deepStrictEqual(seen(counted([typed, said]), at(0, 0, typed)), found(said))
    }
    assert.deepStrictEqual(seen(counted([`$ ${typed}`, `> ${typed}`]), at(0, 2, typed)), found(`> ${typed}`))
  })

  it("a prompt that came between the typed line and Enter is told from it", () => {
    const typed = "echo DONE"

    assert.deepStrictEqual(seen(counted([`${typed}ab>`]), at(0, 0, typed)), found("ab>"))
    assert.deepStrictEqual(seen(counted([`${typed}ab> `, "DONE"]), at(0, 0, typed)), found("ab> ", "DONE"))
    assert.deepStrictEqual(
      seen(counted([`${typed}ab> ${typed}`, "DONE", `${typed}$`]), at(0, 0, typed)),
      found("DONE", `${typed}$`)
    )
    for (const other of [`${typed}1`, `a${typed}>`, "echo DON>"]) {
      assert.deepStrictEqual(seen(counted([other]), at(0, 0, typed)), found(other))
    }
  })

  it("an answer that repeats what was typed is seen where the terminal shows nothing of that", () => {
    const left = (text: string) => ({ length: text.length, hash: Screen.lineHash(text) })
    const after = (column: number, text: string) =>
      new Screen.Mark({
        pane,
        at: { row: 0, column, epoch: "0", left: left(text) },
        echo: Screen.echoOf("hello")
      })

    assert.deepStrictEqual(seen(counted(["got hello"]), after(0, "")), found("got hello"))
    assert.deepStrictEqual(seen(counted(["Name: ", "got hello"]), after(6, "Name: ")), found("", "got hello"))
    assert.deepStrictEqual(
      seen(counted(["home hello", "got hello"]), after(5, "home ")),
      found("got hello")
    )
    // drawn again in another row
    assert.deepStrictEqual(
      seen(counted(["home ", "home hello", "got hello"]), after(5, "home ")),
      found("", "got hello")
    )
  })

  it("each typed line is taken away once", () => {
    const typed = "one\n\n  two\nthree"
    const rows = ["> one", ">", ">   two", "> three", "three", "one"]

    assert.deepStrictEqual(seen(counted(rows), at(0, 2, typed)), found(">", "three", "one"))
    assert.deepStrictEqual(seen(counted(["a", "> b", "> a"]), at(0, 0, "b\na")), found("a"))
  })

  it("copies of the typed line that a resize has torn are not seen, its output is", () => {
    const typed = at(9, 4, "sleep 1; echo DONE")
    const after = (rows: ReadonlyArray<string>, more: Parameters<typeof counted>[1] = {}) =>
      seen(counted(rows, { epoch: "1", ...more }), typed).lines

    assert.deepStrictEqual(after(["DONE"]), [])
    assert.deepStrictEqual(after(["DONE", "DONE"]), ["DONE"])
    assert.deepStrictEqual(after(["$ sleep 1", "DONE", "DONE"]), ["$ sleep 1", "DONE"])
    assert.deepStrictEqual(after(["/worsleep 1; echo DONE", "$ sleep 1; echo DONE", "DONE"]), ["DONE"])
    assert.deepStrictEqual(after(["echo", "DONE"]), ["echo", "DONE"])
    assert.deepStrictEqual(after(["histsleep 1; echo DONEory", "$ sleep 1; echo DONE", "DONE"]), ["DONE"])
    assert.deepStrictEqual(after(["$ sleep 1", ";  e", "cho sleep 1", "; echo DONE", "DONE"]), [
      "$ sleep 1",
      ";  e",
      "DONE"
    ])
    assert.deepStrictEqual(after(["$ sleep 1; echo DONE", "ran: sleep 1; echo DONE", "DONE"]), [
      "ran: sleep 1; echo DONE",
      "DONE"
    ])
    assert.deepStrictEqual(after(["$ sleep  [at]  1; e [sleep 1; echo DON [at]E", "DONE"]), ["DONE"])
    const known = new Screen.Mark({ ...typed, anchor: ["-- dir", "$"].map(Screen.lineHash) })
    for (const truncated of [true, false]) {
      const rows = ["x", "-- dir", "DONE", "DONE"]
      assert.deepStrictEqual(seen(counted(rows, { epoch: "1", truncated }), known).lines, ["x", "-- dir", "DONE"])
    }
    assert.deepStrictEqual(after(["other", "DONE"], { truncated: true }), ["other", "DONE"])
    assert.deepStrictEqual(after(["other", "DONE"], { epoch: "1a", alternate: true }), ["other", "DONE"])
    assert.deepStrictEqual(after(["ab> sleep 2; echo MORE", "MORE"]), ["ab> sleep 2; echo MORE", "MORE"])
  })

  it("of another epoch the whole screen counts, and it says that it is lost", () => {
    assert.deepStrictEqual(seen(counted(["a", "b"], { epoch: "1" }), at(1, 0)), lost("a", "b"))
    assert.deepStrictEqual(
      seen(counted(["menu", "$ go"], { epoch: "0a", alternate: true }), at(1, 0, "go")),
      lost("menu")
    )
  })

  it("where the program went back up, all from there on counts", () => {
    const rows = ["old", "a", "b", "$ go", "c"]
    const mark = new Screen.Mark({ ...at(3, 2, "go"), at: { row: 3, column: 2, epoch: "0", step: 4 } })
    const gone = (...ascents: ReadonlyArray<Screen.Ascent>) => seen(counted(rows, { ascents }), mark)

    assert.deepStrictEqual(gone(), found("c"))
    assert.deepStrictEqual(gone({ step: 3, row: 0 }), found("c"))
    assert.deepStrictEqual(gone({ step: 3, row: 0 }, { step: 4, row: 4 }), found("c"))
    assert.deepStrictEqual(gone({ step: 3, row: 0 }, { step: 4, row: 1 }, { step: 5, row: 2 }), lost("a", "b", "c"))
    assert.deepStrictEqual(gone({ step: 9, row: 3 }), lost("c"))
    assert.deepStrictEqual(seen(counted(rows, { ascents: [{ step: 9, row: 0 }], epoch: "1" }), mark).markLost, true)
  })

  it("where the row reads otherwise left of it, all of the row counts", () => {
    const left = { length: 3, hash: Screen.lineHash("10%") }
    const mark = new Screen.Mark({ pane, at: { row: 0, column: 3, epoch: "0", left } })
    const wide = { length: 2, hash: Screen.lineHash("\u2604>") }
    const known = new Screen.Mark({ pane, at: { row: 0, column: 3, epoch: "0", left: wide } })

    assert.deepStrictEqual(seen(counted(["10% more", "b"]), mark), found(" more", "b"))
    assert.deepStrictEqual(seen(counted(["10%"]), mark), found(""))
    assert.deepStrictEqual(seen(counted(["100%", "b"]), mark), lost("100%", "b"))
    assert.deepStrictEqual(seen(counted(["\u2604>new"]), known), found("new"))
  })

  it("where the program went back up is told from rows that are not all captured", () => {
    const mark = new Screen.Mark({ pane, at: { row: 9, column: 0, epoch: "0", step: 0 } })
    const screen = (more: object) => counted(["a", "b", "c"], { origin: 7, ascents: [{ step: 0, row: 8 }], ...more })

    assert.deepStrictEqual(seen(screen({}), mark), lost("b", "c"))
    assert.deepStrictEqual(seen(screen({ joined: true }), mark), lost("a", "b", "c"))
    assert.deepStrictEqual(seen(screen({ wrapped: [0] }), mark), lost("ab", "c"))
    assert.deepStrictEqual(seen(screen({ ascents: [{ step: 0, row: 2 }] }), mark), lost("a", "b", "c"))
  })

  it("on the alternate screen nothing is placed where ascents are not known", () => {
    const menu = counted(["a", "b"], { alternate: true })
    const mark = new Screen.Mark({ ...at(1, 1), anchor: ["a", "b"].map(Screen.lineHash) })

    assert.deepStrictEqual(seen(menu, mark), lost("a", "b"))
    assert.deepStrictEqual(Screen.linesAfter(menu, mark).rewritten, true)
    assert.deepStrictEqual(Screen.linesAfter(menu, at(1, 1, undefined, "normal")).rewritten, false)
  })

  it("of another pane it is lost", () => {
    const other = new Target.PaneHandle({ ...pane, id: "p2" })

    assert.deepStrictEqual(
      seen(counted(["a"]), new Screen.Mark({ pane: other, at: { row: 1, column: 0, epoch: "0" } })),
      lost("a")
    )
  })

  it("of another epoch its anchor still places it", () => {
    const mark = new Screen.Mark({ ...at(40, 2), anchor: ["x", "y", "$"].map(Screen.lineHash) })

    assert.deepStrictEqual(seen(counted(["x", "y", "$", "new"], { epoch: "9" }), mark), found("new"))
  })
})

describe("after an anchored mark", () => {
  it("what follows the lines that stood there is seen", () => {
    assert.deepStrictEqual(seen(plain(["a", "b", "", "c", "new"]), after(["a", "b", "c"])), found("new"))
    assert.deepStrictEqual(seen(plain(["a", "b  ", "c"]), after(["a", "b", "c"])), found())
  })

  it("its last line may have grown by what was typed", () => {
    const mark = after(["x", "y", "$"], "make")

    assert.deepStrictEqual(seen(plain(["x", "y", "$ make", "x", "y", "$"]), mark), found("x", "y", "$"))
    assert.deepStrictEqual(seen(plain(["x", "y", "$ mak"]), mark), found("$ mak"))
    assert.deepStrictEqual(seen(plain(["x", "y", "50 %", "z"]), after(["x", "y", "40 %"])), found("50 %", "z"))
  })

  it("the last of several places counts: never what is older than the mark", () => {
    const rows = ["x", "y", "$ make", "x", "y", "$ make", "x", "y", "$"]

    assert.deepStrictEqual(seen(plain(rows), after(["x", "y", "$"], "make")), found("x", "y", "$"))
  })

  it("at the beginning of a pane the one line that stood there is known by its place", () => {
    assert.deepStrictEqual(seen(plain(["$ cat", "hi"]), after(["$"], "cat")), found("hi"))
    assert.deepStrictEqual(seen(plain(["hello", "hello"]), after(["$"], "hello")), found("hello"))
    assert.deepStrictEqual(seen(plain(["$ c", "hi"]), after(["$"])), found("$ c", "hi"))
    assert.deepStrictEqual(seen(plain(["$ c", "hi"], true), after(["$"])), lost("$ c", "hi"))
  })

  it("of an empty screen everything came later", () => {
    assert.deepStrictEqual(seen(plain(["a"]), after([])), found("a"))
  })

  it("rows above that are no longer held do not matter", () => {
    assert.deepStrictEqual(seen(plain(["y", "$", "new"], true), after(["x", "y", "$"])), found("new"))
    assert.deepStrictEqual(seen(plain(["y", "$", "new"]), after(["x", "y", "$"])), lost("y", "$", "new"))
  })

  it("that is nowhere is lost", () => {
    assert.deepStrictEqual(seen(plain(["p", "q", "r"]), after(["x", "y", "z"])), lost("p", "q", "r"))
    assert.deepStrictEqual(seen(plain([]), after(["x", "y", "z"])), lost())
    assert.deepStrictEqual(seen(plain(["p"]), new Screen.Mark({ pane })), lost("p"))
  })
})

describe("what a mark keeps", () => {
  it("is no text: lengths and hashes of the first lines that are not blank", () => {
    const echo = Screen.echoOf(Array.from({ length: 20 }, (_, n) => `secret ${n}\n`).join("\n"))

    assert.lengthOf(echo, 8)
    assert.deepStrictEqual(Screen.echoOf("a  b\tc"), Screen.echoOf("abc "))
    assert.notDeepEqual(Screen.echoOf("abc"), Screen.echoOf("abd"))
    assert.deepStrictEqual(Screen.echoOf(" \n"), [])
    assert.notInclude(JSON.stringify(echo), "secret")
  })

  it("has the same hashes in every version", () => {
    assert.strictEqual(Screen.lineHash("foobar  "), 0xbf9cf968)
    assert.strictEqual(Screen.lineHash(""), 0x811c9dc5)
  })
})
