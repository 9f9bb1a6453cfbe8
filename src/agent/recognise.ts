/**
 * Which agent runs in a pane: by its process, through the programs that start it, else by what it shows.
 *
 * @since 0.1.0
 */
import { compile } from "./expressions.ts"
import type { AgentProfile } from "./profile.ts"

/**
 * A program as the system knows it. `argv` begins with the program itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Program {
  readonly name: string
  readonly argv?: ReadonlyArray<string> | undefined
}

const basename = (path: string) => path.split(/[/\\]/).at(-1) ?? path
const bare = (path: string) => basename(path).replace(/\.(?:[cm]?js|[cm]?ts|py|exe|cmd)$/i, "").toLowerCase()

const interpreters = /^(?:node(?:js)?|bun|deno|tsx|python[\d.]*|pypy\d?|ruby|perl)$/
const shells = /^-?(?:sh|bash|zsh|dash|ksh|fish|ash)$/
const launchers =
  /^(?:env|npx|bunx|uvx|pipx|uv|npm|pnpm|yarn|bun|nice|nohup|time|timeout|stdbuf|exec|command|doas|sudo|caffeinate|mise|direnv)$/
/** Words of a launcher before the program that it starts. */
const verbs = /^(?:exec|run|dlx|x|tool|--)$/
/** What follows one of them is code, not a program. */
const code = /^(?:-e|-p|-[a-z]*c|--eval|--print|--command|eval)$/
/** What follows one of them belongs to it. */
const taking =
  /^(?:-r|--require|--import|--loader|-C|--conditions|-W|-X|--package|--from|--with|-u|-n|-k|-s|--env-file|--python)$/

/** What an interpreter or a launcher runs; undefined: code of its own, or nothing. */
const started = (program: string, args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const launches = launchers.test(program) && !(program === "bun" && !verbs.test(args[0] ?? ""))
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ""
    if (code.test(word) && !(launches && word === "-p")) return undefined
    if (word === "-m") {
      return args[at + 1] === undefined
        ? undefined
        : [args[at + 1]?.split(".")[0] ?? "", ...args.slice(at + 2)]
    }
    if (taking.test(word)) at++
    else if (word.startsWith("-")) continue
    else if (launches && (/^\w+=/.test(word) || verbs.test(word) || /^\d+[smh]?$/.test(word))) continue
    else return args.slice(at)
  }
  return undefined
}

/** `@scope/name@1.2` as a path and as a name. */
const packageName = (word: string) => word.replace(/(?<=.)@[^/@]*$/, "")

const named = (profiles: ReadonlyArray<AgentProfile>, word: string): AgentProfile | undefined => {
  const name = bare(packageName(word))
  return profiles.find(({ recognise }) => recognise.commands.some((command) => command.toLowerCase() === name))
}

const scripted = (profiles: ReadonlyArray<AgentProfile>, word: string): AgentProfile | undefined => {
  const path = `/${packageName(word).replace(/^\/+/, "").replaceAll("\\", "/")}`
  const fits = (regex: RegExp) => regex.test(path) || regex.test(`${path}/`)
  return profiles.find(({ recognise }) => recognise.scripts?.some((source) => fits(compile(source))) === true)
}

/**
 * The profile of the agent that the program is; undefined: it is none.
 *
 * @category recognising
 * @since 0.1.0
 */
export const ofProgram = (profiles: ReadonlyArray<AgentProfile>, { argv, name }: Program): AgentProfile | undefined => {
  let words = argv === undefined || argv.length === 0 ? [name] : argv
  for (let depth = 0; depth < 6; depth++) {
    const word = words[0] ?? ""
    const program = bare(word)
    if (!interpreters.test(program) && !shells.test(program) && !launchers.test(program)) {
      return named(profiles, word) ?? scripted(profiles, word) ?? (depth === 0 ? named(profiles, name) : undefined)
    }
    // a program may name itself
    const own = depth === 0 && bare(name) !== program ? named(profiles, name) : undefined
    if (own !== undefined) return own
    const next = started(program, words.slice(1))
    if (next === undefined) {
      // a shell that runs no script takes commands
      const takes = shells.test(program) && !words.slice(1).some((word) => code.test(word))
      return takes ? named(profiles, word.replace(/^-/, "")) : undefined
    }
    words = next
    if (interpreters.test(program) || shells.test(program)) {
      const script = words[0] ?? ""
      return scripted(profiles, script) ?? named(profiles, script)
    }
  }
  return undefined
}

/** Programs in which another one may run that the system does not show here. */
const hiding =
  /^(?:ssh|mosh(?:-client)?|et|tmux|screen|zellij|docker|podman|kubectl|nerdctl|lxc|incus|vagrant|script|asciinema|su|login|wsl|nix|nix-shell|devbox|flox|mainthread|conhost|winpty)$/

/**
 * Whether an agent may run there although the program is none.
 *
 * @category recognising
 * @since 0.1.0
 */
export const hides = ({ name }: Program): boolean => {
  const program = bare(name)
  return hiding.test(program) || interpreters.test(program) || launchers.test(program)
}

/**
 * The profile whose agent shows such a screen; undefined where none or several do.
 *
 * @category recognising
 * @since 0.1.0
 */
export const ofScreen = (
  profiles: ReadonlyArray<AgentProfile>,
  rows: ReadonlyArray<string>
): AgentProfile | undefined => {
  const texts = rows.map((row) => row.replace(/^[\s│┃║|▌]+/, "").slice(0, 400)).filter((row) => row !== "")
  const counted = profiles.map((profile) => {
    const found = profile.recognise.screen?.filter((source) => {
      const regex = compile(source)
      return texts.some((text) => regex.test(text))
    })
    return { profile, count: found?.length ?? 0 }
  }).filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
  const [first, second] = counted
  return first === undefined || first.count === second?.count ? undefined : first.profile
}
