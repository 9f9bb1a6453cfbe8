/** One line of the bench: what was measured, and what it has to be. */

export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: "us" | "ms" | "MB" | "x" | "%" | "looks"
  /** `most`: the value may not be above it; `least`: not below. */
  readonly target: { readonly most: number } | { readonly least: number }
  /** Figures behind the value, in words. */
  readonly detail?: string | undefined
}

/** A row's target with the slack that a busy machine needs. */
export const slack = 0.2

export const meets = ({ target, value }: Row, allowance: number): boolean =>
  "most" in target ? value <= target.most * (1 + allowance) : value >= target.least * (1 - allowance)

const shown = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

export const table = (rows: ReadonlyArray<Row>): string => {
  const cells = rows.map((row) => [
    row.name,
    `${shown(row.value)} ${row.unit}`,
    "most" in row.target ? `<= ${row.target.most} ${row.unit}` : `>= ${row.target.least} ${row.unit}`,
    meets(row, 0) ? "ok" : meets(row, slack) ? "close" : "MISSED",
    row.detail ?? ""
  ])
  const all = [["what", "measured", "target", "", "detail"], ...cells]
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  return all.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}
