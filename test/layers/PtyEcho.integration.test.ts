import { assert, describe, it as tests } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import * as Keys from "../../src/Keys.ts"
import type { Mark } from "../../src/Screen.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

interface Style {
  readonly what: string
  readonly argv: readonly [string, ...Array<string>]
  readonly file: string
  readonly lines: ReadonlyArray<string>
  /** Files without which there is nothing to test. */
  readonly needs?: ReadonlyArray<string>
  /** SIGUSR1 has the shell draw its prompt again, with a letter more. */
  readonly redraws?: boolean
  /** False: it leaves the line to the terminal. */
  readonly edits?: boolean
}

/** At 20 columns the typed line goes on with `DONE` alone in the next row. */
const prompt = "ab> "
const colours = "/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh"

const sh = (what: string, ...lines: ReadonlyArray<string>): Style => ({
  what: `sh ${what}`,
  argv: ["/bin/sh", "-i"],
  file: ".shrc",
  lines,
  edits: false
})
const bash = (what: string, ...lines: ReadonlyArray<string>): Style => ({
  what: `bash ${what}`,
  argv: ["/bin/bash", "--noprofile", "-i"],
  file: ".bashrc",
  lines
})
const zsh = (what: string, ...lines: ReadonlyArray<string>): Style => ({
  what: `zsh ${what}`,
  argv: ["/bin/zsh", "-i"],
  file: ".zshrc",
  lines: ["unsetopt global_rcs", ...lines]
})
const fish = (what: string, ...lines: ReadonlyArray<string>): Style => ({
  what: `fish ${what}`,
  argv: ["/usr/bin/fish", "--private", "-i"],
  file: ".config/fish/config.fish",
  lines: ["set -g fish_greeting", ...lines]
})

const styles: ReadonlyArray<Style> = [
  sh("with a plain prompt", `PS1='${prompt}'`),
  sh("with a prompt of two lines", `PS1='-- $PWD --`, `${prompt}'`),
  bash("with a plain prompt", `PS1='${prompt}'`),
  bash("with a prompt of two lines in colour", `PS1='\\n\\[\\e[32m\\]\\w\\[\\e[0m\\]\\n${prompt}'`),
  bash("that clears the line before each prompt", `PROMPT_COMMAND="printf 'working\\r\\033[K'"`, `PS1='${prompt}'`),
  zsh("with a plain prompt", `PROMPT='${prompt}'`),
  zsh("with a prompt of two lines in colour", `PROMPT=$'\\n%F{green}%~%f\\n${prompt}'`),
  zsh("with a prompt at the right", `PROMPT='${prompt}'`, "RPROMPT='%F{blue}[at]%f'"),
  {
    ...zsh(
      "that draws its prompt again",
      "times=; echo $$ > $HOME/pid",
      "setopt prompt_subst",
      `PROMPT='\${times}${prompt}'`,
      "TRAPUSR1() { times=${times}c; zle && zle reset-prompt }"
    ),
    redraws: true
  },
  { ...zsh("with colours", `PROMPT='${prompt}'`, `source ${colours}`), needs: [colours] },
  fish("with a plain prompt", `function fish_prompt; echo -n '${prompt}'; end`),
  fish("with a prompt of two lines", "function fish_prompt; echo; echo (pwd)", `echo -n '${prompt}'; end`),
  fish(
    "with a prompt at the right",
    `function fish_prompt; echo -n '${prompt}'; end`,
    "function fish_right_prompt; echo -n '[at]'; end"
  ),
  {
    ...fish(
      "that draws its prompt again",
      "set -g times ''; echo $fish_pid > $HOME/pid",
      `function fish_prompt; echo -n $times'${prompt}'; end`,
      "function again --on-signal USR1; set -g times $times'c'; commandline -f repaint; end"
    ),
    redraws: true
  }
]

const home = ({ file, lines }: Style) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "paneway-test-"))
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), `${lines.join("\n")}\n`)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  )

const open = Effect.fnUntraced(function*(style: Style, columns: number) {
  const path = yield* home(style)
  const runtime = yield* TerminalRuntime
  const { handle: pane } = yield* runtime.spawn({
    program: { argv: style.argv },
    env: {
      HOME: path,
      ZDOTDIR: path,
      ENV: join(path, ".shrc"),
      XDG_CONFIG_HOME: join(path, ".config"),
      LC_ALL: "C.UTF-8"
    },
    unset: ["PS1", "PROMPT_COMMAND"],
    size: { columns, rows: 20 }
  })
  return { runtime, pane, path }
})

const timeout = "15 seconds"
const command = "sleep 0.4; echo DONE"

/** The line that was found after the mark that the effect gives, and that it took as long as the command takes. */
const done = <E, R>(pane: PaneHandle, send: Effect.Effect<Mark, E, R>, pattern = "DONE") =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const from = yield* Clock.currentTimeMillis
    const mark = yield* send
    const { line, screen } = yield* runtime.waitOutput(pane, { pattern, after: mark, timeout })
    const took = (yield* Clock.currentTimeMillis) - from

    // sh shows its prompt after the text that was typed before
    assert.deepStrictEqual(
      [line.replace(/^ab> (?=DONE$)/, ""), took >= 400],
      [pattern, true],
      `${took}\n${screen.text}`
    )
    return mark
  })

const typed = (pane: PaneHandle, text: string) =>
  TerminalRuntime.use((runtime) => Effect.map(runtime.sendCommand(pane, text), ({ mark }) => mark))

/** The shell has drawn the prompt that comes after the command. */
const prompted = (pane: PaneHandle, after: Mark) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(pane, { pattern: /^c*ab>/, after, timeout }))

const widths = [120, 20]
const layer = Pty.layer()

const enter = Keys.make("Enter")
const clear = Keys.make("l", { ctrl: true })

/** Types a command and presses Enter after something else has happened to the screen. */
const enterAfter = <E, R>(pane: PaneHandle, happens: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { mark } = yield* runtime.send(pane, { items: [{ message: command }] })
    yield* runtime.waitOutput(pane, { pattern: /DONE/, timeout })
    yield* happens
    yield* runtime.waitStable(pane, { quiet: "100 millis", timeout })
    yield* runtime.send(pane, { items: [{ key: enter }] })
    return mark
  })

const atPrompt = Effect.fnUntraced(function*(style: Style, columns: number) {
  const opened = yield* open(style, columns)
  yield* opened.runtime.waitOutput(opened.pane, { pattern: "ab>", timeout })
  return opened
})

/** What each shell is put through, each time in a pane of its own. */
const cases = {
  "typed before the prompt and at it": Effect.fnUntraced(function*(style: Style, columns: number) {
    const { pane } = yield* open(style, columns)
    yield* prompted(pane, yield* done(pane, typed(pane, command)))
    yield* prompted(pane, yield* done(pane, typed(pane, command)))
    yield* typed(pane, "sleep 0.3")
    yield* done(pane, typed(pane, command))
  }),
  "drawn again by its shell": Effect.fnUntraced(function*(style: Style, columns: number) {
    if (style.edits === false) return
    const { pane, path, runtime } = yield* atPrompt(style, columns)
    if (style.redraws === true) {
      yield* done(
        pane,
        enterAfter(
          pane,
          Effect.andThen(
            Effect.sync(() => process.kill(Number(readFileSync(join(path, "pid"), "utf8")), "SIGUSR1")),
            runtime.waitOutput(pane, { pattern: /^cab>/, timeout })
          )
        )
      )
    } else yield* done(pane, enterAfter(pane, runtime.send(pane, { items: [{ key: clear }] })))
  }),
  "wrapped anew": Effect.fnUntraced(function*(style: Style, columns: number) {
    const { pane, runtime } = yield* atPrompt(style, columns)
    yield* done(
      pane,
      Effect.tap(typed(pane, `echo g'o'; ${command}`), () =>
        // not while the shell draws: then the typed line itself is torn
        Effect.andThen(
          runtime.waitOutput(pane, { pattern: /^go$/, timeout }),
          runtime.resize(pane, { columns: columns === 20 ? 33 : 20, rows: 20 })
        ))
    )
  }),
  "that its program prints": Effect.fnUntraced(function*(style: Style, columns: number) {
    const { pane, runtime } = yield* atPrompt(style, columns)
    yield* typed(pane, `sh -c 'echo in; while read -r x; do sleep 0.4; echo "$x"; done'`)
    yield* runtime.waitOutput(pane, { pattern: /^in$/, timeout })
    for (const line of ["DONE", "a line that wraps at twenty DONE", "DONE"]) yield* done(pane, typed(pane, line), line)
  })
}

describe.concurrent.each(styles)("$what", (style) => {
  const it = tests.live.skipIf((style.needs ?? []).some((file) => !existsSync(file)))

  for (const [what, play] of Object.entries(cases)) {
    it(
      `a wait after a line ${what} finds output alone`,
      () =>
        Effect.forEach(widths, (columns) => play(style, columns), { concurrency: "unbounded", discard: true }).pipe(
          Effect.provide(layer)
        ),
      30_000
    )
  }
})
