import { assert, describe, it, layer } from "@effect/vitest"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import * as Bash from "../../src/cli/completions/bash.ts"
import * as Tree from "../../src/cli/completions/tree.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin } from "../fixtures/cli.ts"

const path = process.env.PATH ?? ""
const bashCompletion = "/usr/share/bash-completion/bash_completion"
const installed = (program: string) => path.split(delimiter).some((folder) => existsSync(join(folder, program)))

/** A folder to complete in. Its programs are paneway itself and one that no other machine has. */
const workshop = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))
    mkdirSync(join(folder, "bin"))
    mkdirSync(join(folder, "here", "subfolder"), { recursive: true })
    writeFileSync(join(folder, "here", "submarine"), "")
    writeFileSync(join(folder, "here", "notes.txt"), "")
    writeFileSync(join(folder, "bin", "paneway"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, {
      mode: 0o755
    })
    writeFileSync(join(folder, "bin", "seldom-seen"), "#!/bin/sh\n", { mode: 0o755 })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

interface Shell {
  readonly title: string
  readonly missing: string | undefined
  /** Its file of settings. They end with the prompt, which is not to be seen earlier. */
  readonly settings: string
  readonly argv: (settings: string) => readonly [string, ...Array<string>]
  /** Follows the name of a flag that takes a value. */
  readonly afterFlag: string
  /** Follows `--`. */
  readonly afterDashes: string
  /** What `seldom-seen --in` becomes; undefined where no command but our own is completed. */
  readonly inserted: string | undefined
}

const bashSettings = `
bind 'set show-all-if-ambiguous on'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set bell-style none'
complete -W '--inside' seldom-seen
eval "$(paneway --completions bash)"
PS1='% '`
const bash = (settings: string) => ["bash", "--rcfile", settings, "-i"] as const

const shells: ReadonlyArray<Shell> = [
  {
    title: "bash",
    missing: installed("bash") ? undefined : "bash",
    settings: bashSettings,
    argv: bash,
    afterFlag: " ",
    afterDashes: " ",
    inserted: undefined
  },
  {
    title: "bash with bash-completion",
    missing: existsSync(bashCompletion) ? undefined : "bash-completion",
    settings: `source ${bashCompletion}\n${bashSettings}`,
    argv: bash,
    afterFlag: " ",
    afterDashes: " ",
    inserted: "--inside "
  },
  {
    title: "zsh",
    missing: installed("zsh") ? undefined : "zsh",
    settings: `
autoload -Uz compinit && compinit -u -D
unsetopt beep prompt_sp prompt_cr list_ambiguous
compdef '_arguments --inside' seldom-seen
eval "$(paneway --completions zsh)"
PROMPT='%% '`,
    argv: (settings) => ["sh", "-c", "mv \"$1\" .zshrc; ZDOTDIR=$PWD exec zsh -d -i", "sh", settings],
    afterFlag: "=",
    afterDashes: " ",
    inserted: "--inside "
  },
  {
    title: "fish",
    missing: installed("fish") ? undefined : "fish",
    settings: `
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
complete -c seldom-seen -l inside
paneway --completions fish | source
function fish_prompt; echo -n '% '; end`,
    argv: (settings) => ["fish", "--no-config", "--init-command", `source ${settings}`],
    afterFlag: " ",
    afterDashes: "",
    inserted: "--inside "
  }
]

class Prompt extends Context.Service<Prompt, PaneHandle>()("paneway/test/cli/completions.integration.test/Prompt") {}

const promptOf = (shell: Shell) =>
  Layer.effect(
    Prompt,
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const folder = yield* workshop
      const settings = join(folder, "settings")
      writeFileSync(settings, shell.settings)
      const { handle } = yield* rt.spawn({
        program: { argv: shell.argv(settings) },
        cwd: join(folder, "here"),
        env: {
          PATH: `${join(folder, "bin")}${delimiter}${path}`,
          HOME: folder,
          XDG_CONFIG_HOME: folder,
          XDG_DATA_HOME: folder
        },
        size: { columns: 150, rows: 50 }
      })
      yield* rt.waitOutput(handle, { pattern: /^%/, timeout: "15 seconds" })
      return handle
    })
  ).pipe(Layer.provideMerge(Pty.layer()))

/** The screen of the prompt, as soon as it is that one. */
const screen = Effect.fnUntraced(function*(wanted: (text: string) => boolean) {
  const rt = yield* TerminalRuntime
  const { text } = yield* rt.capture(yield* Prompt).pipe(
    Effect.repeat({ until: ({ text }) => wanted(text.trim()), schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("30 seconds")
  )
  return text
})

/** Types the line at an empty prompt and asks for its completion. */
const typed = Effect.fnUntraced(function*(line: string) {
  const rt = yield* TerminalRuntime
  const pane = yield* Prompt
  yield* rt.sendKeys(pane, ["C-u", "C-l"])
  yield* screen((text) => text === "%")
  yield* rt.sendText(pane, line)
  yield* rt.sendKeys(pane, ["Tab"])
  return { rt, pane }
})

/** The completed line is that one: what is typed next stands right after it. */
const becomes = Effect.fnUntraced(function*(line: string, completed: string) {
  const { pane, rt } = yield* typed(line)
  yield* rt.sendText(pane, "@")
  yield* rt.waitOutput(pane, { pattern: `% ${completed}@`, timeout: "30 seconds" })
})

/** All of these words are listed, and none of those. */
const lists = Effect.fnUntraced(function*(line: string, words: ReadonlyArray<string>, never: ReadonlyArray<string>) {
  yield* typed(line)
  const seen = yield* screen((text) => words.every((word) => text.includes(word)))
  assert.deepStrictEqual(never.filter((word) => seen.includes(word)), [])
})

for (const shell of shells) {
  const { afterDashes, afterFlag, inserted, missing, title } = shell
  const skipped = missing === undefined ? "" : `: skipped, ${missing} is not installed`

  describe.skipIf(missing !== undefined)(`${title}${skipped}`, () => {
    layer(promptOf(shell), { excludeTestServices: true })((it) => {
      const completions: ReadonlyArray<readonly [string, string]> = [
        ["paneway ru", "paneway run "],
        ["paneway --he", "paneway --help "],
        ["paneway run --tim", `paneway run --timeout${afterFlag}`],
        ["paneway detect --js", "paneway detect --json "],
        ["paneway run --json --env A=b --si", `paneway run --json --env A=b --size${afterFlag}`],
        ["paneway run --json --vers", "paneway run --json --version "],
        ["paneway run --no-js", "paneway run --no-js"],
        ["paneway run --runtime p", "paneway run --runtime pty "],
        ["paneway wait lifecycle pane-exit", "paneway wait lifecycle pane-exited "],
        ["paneway context --runtime=p", "paneway context --runtime=pty "],
        ["paneway run --root sub", "paneway run --root subfolder/"],
        ["paneway run --root=sub", "paneway run --root=subfolder/"],
        ["paneway run --root run --tim", `paneway run --root run --timeout${afterFlag}`],
        ["paneway --completions fi", "paneway --completions fish "],
        ["paneway run ", `paneway run --${afterDashes}`],
        ["paneway run -- ls no", "paneway run -- ls notes.txt "],
        ["paneway run --json -- cat -- no", "paneway run --json -- cat -- notes.txt "],
        ["paneway run -- seldom-s", "paneway run -- seldom-seen "],
        ["paneway run -- seldom-seen --js", "paneway run -- seldom-seen --js"],
        ["paneway run --env=A=-- --js", "paneway run --env=A=-- --json "],
        ["paneway detect -- --js", "paneway detect -- --js"],
        ["paneway run -- paneway run --js", `paneway run -- paneway run --js${inserted === undefined ? "" : "on "}`],
        ["paneway run -- seldom-seen --in", `paneway run -- seldom-seen ${inserted ?? "--in"}`]
      ]
      for (const [line, completed] of completions) {
        it.effect(`"${line}" becomes "${completed}"`, () => becomes(line, completed))
      }

      const offers: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
        ["paneway ", ["run", "detect", "context"], ["--help", "notes.txt"]],
        ["paneway --", ["--help", "--version", "--completions"], ["--json", "--no-"]],
        ["paneway --completions ", ["bash", "zsh", "fish", "powershell"], ["detect", "notes.txt"]],
        ["paneway run --", ["--runtime", "--root", "--timeout", "--env", "--size", "--json", "--help"], ["--no-"]],
        ["paneway detect ", ["--runtime", "--json", "--help", "--version", "--completions"], ["--root", "notes.txt"]]
      ]
      for (const [line, words, never] of offers) {
        it.effect(`"${line}" offers ${words.join(" ")}`, () => lists(line, words, never))
      }
    })
  })
}

/** What bash is offered for the last of the words. */
const replies = (script: string, lines: ReadonlyArray<ReadonlyArray<string>>) => {
  const ask = `set -u
eval "$(cat)"
reply() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$*
  COMP_POINT=\${#COMP_LINE}
  _paneway paneway "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
  echo "\${COMPREPLY[*]-}"
}
`
  const calls = lines.map((words) => `reply paneway ${words.map((word) => `'${word}'`).join(" ")}`)
  return execFileSync("bash", ["-c", ask + calls.join("\n")], { input: script, encoding: "utf8" }).split("\n").slice(
    0,
    -1
  )
}

const withoutBash = installed("bash") ? "" : ": skipped, bash is not installed"

describe.skipIf(withoutBash !== "")(`the script for bash${withoutBash}`, () => {
  it("needs no terminal and no unset variable", () => {
    const script = execFileSync(process.execPath, [bin, "--completions", "bash"], { encoding: "utf8" })
    const seen = replies(script, [
      [""],
      ["run", "--r"],
      ["run", "--runtime", ""],
      ["wait", "lifecycle", ""],
      ["run", "--timeout", ""],
      ["run", "--", "seldom-seen", "--r"],
      ["detect", "--", ""]
    ])

    assert.deepStrictEqual(seen, [
      "run ensure prepare spawn send type capture sessions windows panes probe describe focus resize attach close wait agent detect context doctor host",
      "--runtime --root",
      "pty tmux",
      "window-exists window-active pane-exists pane-exited",
      "",
      "",
      ""
    ])
  })

  it("follows the commands that there are", () => {
    const list = Command.make("list", {
      kind: Flag.Literals("kind", ["live", "ended"]).pipe(Flag.withAlias("k")),
      secret: Flag.Boolean("secret").pipe(Flag.withHidden)
    })
    const pick = Command.make("pick", { what: Argument.Literals("what", ["first", "last"]) })
    const start = Command.make("start", {
      runtime: Flag.String("runtime"),
      command: Argument.String("command").pipe(Argument.atLeast(0))
    })
    const pane = Command.make("pane").pipe(
      Command.withSharedFlags({ all: Flag.Boolean("all") }),
      Command.withSubcommands([list, pick, start])
    )
    const command = Command.make("paneway").pipe(Command.withSubcommands([pane]))
    const places = Tree.places(Tree.make(command, [GlobalFlag.Help], ["one", "other"]))
    const seen = replies(Bash.script("paneway", places), [
      [""],
      ["pane", ""],
      ["pane", "--all", "list", "-"],
      ["list", "-"],
      ["pane", "list", "-k", "e"],
      ["pane", "list", "--kind", "pick", ""],
      ["pane", "pick", ""],
      ["pane", "pick", "--", "l"],
      ["pane", "start", "--runtime", "o"],
      ["pane", "start", "--runtime", "one", ""]
    ])

    assert.deepStrictEqual(seen, [
      "pane",
      "list pick start",
      "--kind -k --all --help -h",
      "--help -h",
      "ended",
      "--kind -k --all --help -h",
      "first last",
      "last",
      "one other",
      "--"
    ])
  })
})
