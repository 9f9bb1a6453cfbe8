/** Programs that take the place of tmux, and number panes anew in each session, cannot be driven: an id is two panes there. */
import { NoAnswer } from "./failures.ts"
import type { Command } from "./quoting.ts"

/** The process of each pane. A window that is linked into several sessions lists its panes for each of them. */
export const question: Command = ["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]

/** An id that two panes have. */
export const twice = (listed: string): NoAnswer | undefined => {
  const processes = new Map<string, string>()
  for (const line of listed.split("\n")) {
    const [, id, pid] = /^(%\d+) (\d+)$/.exec(line) ?? []
    if (id === undefined || pid === undefined) continue
    const other = processes.get(id)
    if (other !== undefined && other !== pid) {
      return new NoAnswer({
        reason: "unsupported-version",
        detail: `the server has more than one pane ${id}: its ids are not those of tmux, and it cannot be driven`,
        sent: false
      })
    }
    processes.set(id, pid)
  }
  return undefined
}
