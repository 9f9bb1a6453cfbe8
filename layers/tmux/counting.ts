/**
 * Numbers of rows. tmux counts the rows above a screen, and does not tell when they are cleared: so rows have numbers
 * only while the output of their pane is heard without a gap. Elsewhere marks are found by the lines around them.
 */
import type { Position } from "../../src/Screen.ts"
import type { Clients } from "./clients.ts"
import type { Heard } from "./heard.ts"
import { isCounted, type Place } from "./place.ts"

export interface Counting {
  /** Where the cursor is; undefined where rows have no numbers. */
  readonly positionOf: (pane: string, place: Place) => Position | undefined
  /** Whether the next place will have a number, as far as the last one tells. */
  readonly willCount: (pane: string) => boolean
}

/** Panes that are remembered at the same time; the oldest are forgotten. */
const most = 4096

export const make = (clients: Pick<Clients, "hearing">, heard: Heard): Counting => {
  /** The session of panes whose last place had a number. */
  const counted = new Map<string, string>()

  const hears = (pane: string, session: string) => {
    const client = clients.hearing(session)
    return client?.hearsAll(pane) === true ? client : undefined
  }

  return {
    positionOf: (pane, place) => {
      const client = hears(pane, place.session)
      if (client !== undefined) heard.leads(pane, Number(place.pid))
      counted.delete(pane)
      if (client === undefined || !isCounted(place)) return undefined
      counted.set(pane, place.session)
      const [oldest] = counted.keys()
      if (counted.size > most && oldest !== undefined) counted.delete(oldest)
      heard.history(pane, place.history)
      return {
        row: place.history + place.cursor.row,
        column: place.cursor.column,
        // rows that are wrapped at another width are other rows, and a program that is started anew has an empty screen
        epoch: `${client.name}.${place.pid}.${place.columns}.${heard.generation(pane)}`
      }
    },
    willCount: (pane) => {
      const session = counted.get(pane)
      return session !== undefined && hears(pane, session) !== undefined
    }
  }
}
