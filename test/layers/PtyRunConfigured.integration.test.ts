import { assert, describe, it as tests } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Recorder from "../../src/testing/Recorder.ts"

interface Configured {
  readonly what: string
  readonly argv: (home: string) => readonly [string, ...Array<string>]
  readonly file: string
  readonly lines: ReadonlyArray<string>
  /** Files without which there is nothing to test. */
  readonly needs?: ReadonlyArray<string>
}

const plugins = ["zsh-autosuggestions", "zsh-syntax-highlighting"].map((name) => `/usr/share/${name}/${name}.zsh`)

const bash = (what: string, ...lines: ReadonlyArray<string>): Configured => ({
  what: `bash ${what}`,
  argv: (home) => ["/bin/bash", "--noprofile", "--rcfile", join(home, ".bashrc"), "-i"],
  file: ".bashrc",
  lines
})
const zsh = (what: string, ...lines: ReadonlyArray<string>): Configured => ({
  what: `zsh ${what}`,
  argv: () => ["/bin/zsh", "-i"],
  file: ".zshrc",
  lines
})
const fish = (what: string, ...lines: ReadonlyArray<string>): Configured => ({
  what: `fish ${what}`,
  argv: () => ["/usr/bin/fish", "-i"],
  file: ".config/fish/config.fish",
  lines
})

const configured: ReadonlyArray<Configured> = [
  {
    what: "sh with a prompt of two lines",
    argv: () => ["/bin/sh", "-i"],
    file: ".shrc",
    lines: ["PS1='-- $PWD --", "> '"]
  },
  bash("with a prompt of two lines in colour", "PS1='\\n\\[\\e[32m\\]\\u@\\h \\w\\[\\e[0m\\]\\n\\$ '"),
  bash("that prints before each prompt and each command", "PROMPT_COMMAND='echo before'", "PS0='begins\\n'"),
  bash("in vi mode, without marked pastes", "set -o vi", "bind 'set enable-bracketed-paste off'"),
  bash("with options", "set -u; shopt -s failglob nullglob extglob; set -o noclobber; HISTCONTROL=ignorespace"),
  zsh("with prompts of two lines and at the right", "PROMPT=$'\\n%F{green}%~%f\\n%# '", "RPROMPT='%F{blue}[%*]%f'"),
  zsh("that prints before each prompt and command", "precmd() { echo before }", "preexec() { echo begins }"),
  zsh("that ends lines itself", "setopt prompt_sp prompt_cr transient_rprompt", "PROMPT_EOL_MARK='%B%S%%%s%b'"),
  zsh(
    "that colours what is typed and suggests",
    "colours() { region_highlight=(\"0 ${#BUFFER} fg=blue\"); POSTDISPLAY=' and a suggestion' }",
    "zle -N zle-line-pre-redraw colours",
    "finish() { POSTDISPLAY=''; region_highlight=() }",
    "zle -N zle-line-finish finish"
  ),
  zsh(
    "with options",
    "setopt sh_word_split rc_quotes extended_glob no_nomatch correct no_clobber prompt_subst",
    "bindkey -v"
  ),
  zsh("that follows ksh", "emulate ksh", "PS1='$ '"),
  {
    ...zsh(
      "with plugins that suggest, colour and quote as one types",
      ...plugins.map((file) => `source ${file}`),
      "ZSH_AUTOSUGGEST_STRATEGY=(history completion)",
      "HISTFILE=$HOME/.history; HISTSIZE=1000; SAVEHIST=1000; setopt share_history",
      "autoload -Uz compinit url-quote-magic bracketed-paste-magic && compinit -u",
      "zle -N self-insert url-quote-magic; zle -N bracketed-paste bracketed-paste-magic; bindkey ' ' magic-space"
    ),
    needs: plugins
  },
  fish(
    "with a prompt of two lines",
    "function fish_prompt",
    "  echo",
    "  set_color green",
    "  echo (pwd)",
    "  echo '> '",
    "end"
  ),
  fish(
    "with prompts at the right and a greeting",
    "set -g fish_greeting hello",
    "function fish_right_prompt; date; end"
  ),
  fish("in vi mode", "fish_vi_key_bindings", "function fish_mode_prompt; echo \"[$fish_bind_mode] \"; end"),
  fish(
    "that tells of each command",
    "function pre --on-event fish_preexec; echo begins; end",
    "function post --on-event fish_postexec; echo over; end"
  )
]

const home = (name: string, lines: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "paneway-test-"))
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), `${lines.join("\n")}\n`)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  )

/** Shows that the file was read. */
const read: Readonly<Record<string, string>> = { ".config/fish/config.fish": "set -g configured yes" }

const commands: ReadonlyArray<readonly [command: string, exitCode: number, output: string]> = [
  ["echo $configured", 0, "yes\n"],
  ["echo one\necho two\nfalse", 1, "one\ntwo\n"],
  ["printf '%s' abc", 0, "abc"],
  ["echo; echo x; echo", 0, "\nx\n\n"],
  [`printf '%s\\n' "it's" '!x' 'a  b'`, 0, "it's\n!x\na  b\n"],
  ["seq 3 | sort -r", 0, "3\n2\n1\n"],
  ["sh -c 'exit 7'", 7, ""],
  ["seq 200", 0, Array.from({ length: 200 }, (_, at) => `${at + 1}\n`).join("")]
]

const runs = ({ argv, file, lines }: Configured, size: { readonly columns: number; readonly rows: number }) =>
  Effect.gen(function*() {
    const place = yield* home(file, [...lines, read[file] ?? "configured=yes"])
    const runtime = yield* TerminalRuntime
    const { handle: pane } = yield* runtime.spawn({
      program: { argv: argv(place) },
      env: {
        HOME: place,
        ZDOTDIR: place,
        ENV: join(place, ".shrc"),
        XDG_CONFIG_HOME: join(place, ".config"),
        LC_ALL: "C.UTF-8"
      },
      unset: ["PS1", "PROMPT_COMMAND"],
      size
    })
    for (const [command, exitCode, output] of commands) {
      const result = yield* runtime.run(pane, { command, timeout: "20 seconds" })

      assert.deepStrictEqual([command, result.output], [command, output])
      assert.deepInclude(result, { exitCode, truncated: false })
    }
    const ended = yield* runtime.run(pane, { command: "echo bye; exit 5", timeout: "20 seconds" })
    assert.deepInclude(ended, { exitCode: 5, truncated: false })
    // what the shell itself prints when it ends is not told apart
    assert.match(ended.output, /^bye\n(?:exit\n|over\n)?$/)
  })

const layer = Pty.layer()
const shown = layer.pipe(Layer.provide(Recorder.layer(Recorder.make({ without: ["output"] }))))

describe.concurrent.each(configured)("$what", (configuration) => {
  const it = tests.live.skipIf((configuration.needs ?? []).some((file) => !existsSync(file)))
  it(
    "gives codes and outputs as ever",
    () => Effect.provide(runs(configuration, { columns: 100, rows: 30 }), layer),
    60_000
  )

  it(
    "gives them on a narrow screen",
    () => Effect.provide(runs(configuration, { columns: 20, rows: 10 }), layer),
    60_000
  )

  it(
    "gives them where only the screen is looked at",
    () => Effect.provide(runs(configuration, { columns: 100, rows: 30 }), shown),
    60_000
  )
})
