import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin as program, paneway } from "../fixtures/cli.ts"
import { until } from "../fixtures/processes.ts"
import { emptyServer } from "../fixtures/tmuxServers.ts"

/** What somebody who lives in tmux has. */
const configuration = `
set -g status on
set -g status-position top
set -g status-interval 1
set -g status-right "#(date +%s) #{window_name} %H:%M"
set -g base-index 1
setw -g pane-base-index 1
set -g renumber-windows on
setw -g mode-keys vi
set -g mouse on
set -g default-command "exec sh -i"
set -g history-limit 20000
set -g set-titles on
set -s escape-time 0
setw -g automatic-rename on
setw -g monitor-activity on
set -g visual-activity off
set -g focus-events on
set -g update-environment "DISPLAY SSH_AUTH_SOCK EDITOR"
set -s -a command-alias "zoom=resize-pane -Z"
set-hook -g after-new-window "set -g @windows-made yes"
set-hook -g after-split-window "display-message split"
set-hook -g client-attached "display-message attached"
bind -n F12 new-window
`

const looks: ReadonlyArray<ReadonlyArray<string>> = [
  ["show-options", "-g"],
  ["show-options", "-gw"],
  ["show-options", "-s"],
  ["show-options", "-t", "mine"],
  ["show-hooks", "-g"],
  ["list-windows", "-a", "-F", "#{session_name}:#{window_index} #{window_id} #{window_layout} #{window_active}"],
  ["list-panes", "-a", "-F", "#{pane_id} #{pane_width}x#{pane_height} #{pane_active} #{pane_in_mode} #{pane_pid}"],
  ["list-clients", "-F", "#{client_width}x#{client_height} #{client_session} #{client_flags}"],
  ["list-buffers", "-F", "#{buffer_name} #{buffer_sample}"],
  ["show-environment", "-g"],
  ["show-environment", "-t", "mine"],
  ["list-keys"]
]

describe("the command line inside a tmux with a rich configuration", () => {
  it.live("does what the guide says, and leaves what is its user's as it was", () =>
    Effect.gen(function*() {
      const server = yield* emptyServer
      const root = join(dirname(server.path), "project")
      const home = join(dirname(server.path), "home")
      for (const folder of [root, home]) mkdirSync(folder)
      writeFileSync(join(root, "Makefile"), "all:\n\t@echo built-$$((40 + 2))\n")
      const file = join(home, ".tmux.conf")
      writeFileSync(file, configuration)
      // a person in a terminal of their own
      const terminal = Context.get(yield* Layer.build(Pty.layer()), TerminalRuntime)
      const person = yield* terminal.spawn({
        program: { argv: ["tmux", "-S", server.path, "-u", "-f", file, "new-session", "-s", "mine"] },
        size: { columns: 110, rows: 33 },
        env: server.env
      })
      yield* until(() => {
        try {
          return server.tmux("list-clients").includes("mine")
        } catch {
          return false
        }
      })
      server.tmux("split-window", "-h", "-t", "mine:1")
      server.tmux("new-window", "-d", "-t", "mine:", "-n", "notes")
      server.tmux("set-buffer", "of the user")
      server.tmux("set-option", "-g", "@windows-made", "yes")
      const [pane = ""] = server.tmux("list-panes", "-t", "mine:1", "-F", "#{pane_id}").split("\n")
      server.tmux("copy-mode", "-t", pane)
      const look = () => looks.map((words) => server.tmux(...words))
      const before = look()
      const env = { ...server.env, HOME: home, TMUX: `${server.path},1,0`, TMUX_PANE: pane }
      // as a person types it, with the program on PATH
      const bin = join(home, "bin")
      mkdirSync(bin)
      writeFileSync(join(bin, "paneway"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 })
      const typed = Effect.fnUntraced(function*(line: string) {
        const { code, stderr, stdout } = yield* Effect.promise(() =>
          new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
            execFile(
              "/bin/sh",
              ["-c", line],
              { env: { ...env, PATH: `${bin}:${process.env.PATH}` }, cwd: root },
              (error, stdout, stderr) =>
                resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
            )
          )
        )
        assert.strictEqual(code, 0, `${line}: ${stderr}`)
        return stdout.trim()
      })
      const window = yield* typed("paneway ensure build --root .")
      const again = yield* typed("paneway ensure build --root .")
      yield* typed("paneway send --pane $(paneway prepare build) --cmd 'make'")
      const [first = ""] = server.tmux("list-panes", "-t", "=mine:=build", "-F", "#{pane_id}").split("\n")
      const made = yield* typed(`paneway wait output '${first}' --match built-42 --timeout 20s`)
      const captured = yield* typed(`paneway capture '${first}'`)
      const coded = yield* typed(`paneway run --pane '${first}' --timeout 20s -- make`)
      const during = server.tmux("list-windows", "-t", "mine", "-F", "#{window_name} #{window_active}").split("\n")
      const conflict = yield* paneway(["ensure", "build", "--root", "/"], { env, cwd: root })
      const closed = yield* typed("paneway close build")
      const gone = yield* paneway(["capture", first], { env, cwd: root })

      assert.match(window, /^tmux:@\d+~/)
      assert.strictEqual(again, window)
      assert.isNotEmpty(first)
      assert.strictEqual(made, "built-42")
      assert.strictEqual(coded, "built-42")
      assert.match(captured, /^built-42$/m)
      assert.deepStrictEqual(during.filter((line) => line.startsWith("build")), ["build 0"])
      assert.notStrictEqual(conflict.code, 0)
      assert.include(conflict.stderr, "has root")
      assert.strictEqual(closed, "closed")
      assert.notStrictEqual(gone.code, 0)
      yield* until(() => server.tmux("list-clients").trim().split("\n").length === 1)
      assert.deepStrictEqual(look(), before)
      const [probe] = yield* terminal.probe([person.handle])
      assert.strictEqual(probe?.liveness, "live")
    }).pipe(Effect.scoped), 60_000)
})
