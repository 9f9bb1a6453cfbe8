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
}

export const make = (clients: Clients, heard: Heard): Counting => ({
  positionOf: (pane, place) => {
    const client = clients.hearing(place.session)
    if (client === undefined || !isCounted(place)) return undefined
    heard.history(pane, place.history)
    return {
      row: place.history + place.cursor.row,
      column: place.cursor.column,
      // rows that are wrapped at another width are other rows, and a program that is started anew has an empty screen
      epoch: `${client.name}.${place.pid}.${place.columns}.${heard.generation(pane)}`
    }
  }
})
