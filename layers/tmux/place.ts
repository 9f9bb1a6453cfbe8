/** Where a pane's output ends, and how its rows are counted. */
/** What one line of {@link format} says of a pane. */
export interface Place {
  /** Rows above the screen. */
  readonly history: number
  readonly limit: number
  readonly columns: number
  readonly rows: number
  readonly cursor: { readonly row: number; readonly column: number }
  readonly alternate: boolean
  readonly pid: string
  readonly session: string
}

/** Numbers only, so that what a pane shows cannot be in it. */
export const format =
  "#{history_size} #{history_limit} #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{?alternate_on,1,0} #{pane_pid} #{session_id}"

const fields = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) ([01]) (\d+) (\$\d+)$/

export const read = (line: string): Place | undefined => {
  const found = fields.exec(line)
  if (found === null) return undefined
  const [history = 0, limit = 0, columns = 0, rows = 0, column = 0, row = 0, alternate] = found.slice(1, 8).map(Number)
  return {
    history,
    limit,
    columns,
    rows,
    cursor: { row, column },
    alternate: alternate === 1,
    pid: found[8] ?? "",
    session: found[9] ?? ""
  }
}

/**
 * Whether rows have numbers. tmux forgets a tenth of what it keeps when that is full, and tells nobody; on the alternate
 * screen rows are painted anew.
 */
export const isCounted = ({ alternate, history, limit }: Place): boolean => !alternate && history < limit * 0.9
