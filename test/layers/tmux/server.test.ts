import { assert, describe, it } from "@effect/vitest"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as Server from "../../../layers/tmux/server.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "paneway-tmux-server-")))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const uid = process.geteuid?.() ?? 0
const located = (choice: Server.Choice, env: Record<string, string | undefined> = {}) => {
  const found = Server.locate(choice, env, uid)
  return "path" in found ? found.path : `${found.reason}: ${found.detail}`
}

describe("the server", () => {
  it("is that of the caller, else the user's default one", () => {
    assert.strictEqual(located("inherit", { TMUX: "/run/user/7/tmux/work,123,0" }), "/run/user/7/tmux/work")
    assert.strictEqual(located("inherit", { TMUX: "", TMUX_TMPDIR: home }), join(home, `tmux-${uid}`, "default"))
    assert.strictEqual(located("inherit", { TMUX: "junk", TMUX_TMPDIR: home }), join(home, `tmux-${uid}`, "default"))
  })

  it("may be another one by name or path, whatever the caller is in", () => {
    const env = { TMUX: "/tmp/x,1,0", TMUX_TMPDIR: home }
    assert.strictEqual(located({ name: "other" }, env), join(home, `tmux-${uid}`, "other"))
    assert.strictEqual(located({ path: join(home, "sock") }, env), join(home, "sock"))
  })

  it("case 70: is none where TMUX_TMPDIR is no directory, since tmux would take another one", () => {
    assert.match(located("inherit", { TMUX_TMPDIR: join(home, "missing") }), /^refused: TMUX_TMPDIR is .* no directory/)
  })

  it("is none at a path that no socket can have", () => {
    writeFileSync(join(home, "file"), "")
    assert.match(located({ path: join(home, "file") }), /no socket/)
    assert.match(located({ path: join(home, "x".repeat(120)) }), /too long/)
    assert.match(located({ path: join(home, "file", "sock") }), /not a directory/)
    assert.match(located({ path: "relative" }), /no absolute path/)
    assert.match(located({ name: "a/b" }, { TMUX_TMPDIR: home }), /no name of a server/)
  })

  it("is none in a directory that others may enter", () => {
    const folder = join(home, "open", `tmux-${uid}`)
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o755)
    assert.match(located({ name: "x" }, { TMUX_TMPDIR: join(home, "open") }), /chmod 700/)
    chmodSync(folder, 0o700)
    assert.strictEqual(located({ name: "x" }, { TMUX_TMPDIR: join(home, "open") }), join(folder, "x"))
  })

  it("of a workspace has a short name that only its real path decides", () => {
    const root = join(home, "root")
    mkdirSync(root)
    symlinkSync(root, join(home, "link"))
    assert.match(Server.privateName(root), /^paneway-[0-9a-f]{12}$/)
    assert.strictEqual(Server.privateName(join(home, "link")), Server.privateName(`${root}/`))
    assert.notStrictEqual(Server.privateName(home), Server.privateName(root))
  })

  it("is told from the caller's pane by both of its variables", () => {
    assert.deepStrictEqual(Server.caller({ TMUX: "/tmp/s,1,0", TMUX_PANE: "%4" }), { socket: "/tmp/s", pane: "%4" })
    assert.isUndefined(Server.caller({ TMUX: "/tmp/s,1,0" }))
    assert.isUndefined(Server.caller({ TMUX_PANE: "%4" }))
    assert.isUndefined(Server.caller({ TMUX: "/tmp/s,1,0", TMUX_PANE: "4; x" }))
  })
})

describe("the environment of tmux", () => {
  it("names no server and no pane, and has a terminal", () => {
    assert.deepStrictEqual(Server.environment({ TMUX: "/x,1,0", TMUX_PANE: "%1", A: "b", B: undefined }), {
      A: "b",
      TERM: "dumb"
    })
    assert.deepStrictEqual(Server.environment({ TERM: "xterm" }), { TERM: "xterm" })
  })
})
