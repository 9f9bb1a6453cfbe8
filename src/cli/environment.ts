/** Variables of the terminal programs around a process, which mean nothing in a pane of another one. */

const of =
  /^(?:TMUX|TMUX_PANE|ACE_TMUX_SESSION|HERDR_\w+|ZELLIJ|ZELLIJ_\w+|STY|WINDOW|KITTY_\w+|WEZTERM_\w+|PANEWAY_PANE|PANEWAY_SOCKET|PANEWAY_SESSION|PANEWAY_PANE_TAG)$/

/** The names of those that are there. */
export const multiplexers = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(env).filter((name) => of.test(name))
