/** Variables of this process for a pane that another process opens. */
import { filter } from "../internal/variables.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Of the terminal programs around a process: they mean nothing in a pane of another one. */
const around =
  /^(?:TMUX|TMUX_PANE|ACE_TMUX_SESSION|HERDR_\w+|ZELLIJ|ZELLIJ_\w+|STY|WINDOW|KITTY_\w+|WEZTERM_\w+|PANEWAY_(?:PANE|SOCKET|SESSION|PANE_TAG|INPUT))$/

/** Of those, what a runtime sets in each of its own panes. */
const given: ReadonlyMap<string, RegExp> = new Map([
  ["tmux", /^TMUX(?:_PANE)?$/],
  ["herdr", /^HERDR_\w+$/],
  ["zellij", /^ZELLIJ(?:_\w+)?$/],
  ["screen", /^(?:STY|WINDOW)$/],
  ["kitty", /^KITTY_\w+$/],
  ["wezterm", /^WEZTERM_\w+$/]
])

/** Whether a pane of that runtime has a value of its own for it, whatever this process has. */
export const isOf = (runtime: string, name: string): boolean => given.get(runtime)?.test(name) === true

/** Of the terminal and the shell of a process: a pane has its own. */
const own = /^(?:TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|PWD|OLDPWD|SHLVL|_)$/

/** What a program needs to find its way where the rest is left out. */
const needed = /^(?:HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER)$/

/** The names of those that a pane never gets. */
export const multiplexers = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env).filter((name) => around.test(name))

/** The names of those that a clean environment lacks. */
export const unneeded = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env).filter((name) => !needed.test(name))

/** The name that stands for all: nothing that the host has goes into a pane of another process. */
export const all = "*"

/**
 * What a pane gets as if this process had opened it itself: the host of the embedded pty has the environment of whoever
 * started it.
 */
export const handed = (
  env: Environment,
  rules: { readonly allow?: ReadonlyArray<string>; readonly deny?: ReadonlyArray<string> },
  clean: boolean
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter(env, rules)).flatMap(([name, value]) =>
      value === undefined || around.test(name) || own.test(name) || (clean && !needed.test(name)) ? [] : [[name, value]]
    )
  )
