/** Rows of cells, and how many cells characters take. */
export interface Row {
  /** An empty string is the second half of a wide character. */
  readonly cells: Array<string>
  /** It goes on with the row before. */
  continues: boolean
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const zero = /^[\p{Mn}\p{Me}\p{Cf}\u0080-\u009f]+$/u
const ascii = /^[ -~]*$/

/** Cells of one character as people see it. */
export const widthOf = (character: string): number =>
  ascii.test(character) ? 1 : zero.test(character) ? 0 : wide.test(character) ? 2 : 1

/** Characters as people see them. */
export const charactersOf = (text: string): ReadonlyArray<string> =>
  ascii.test(text)
    ? text.split("")
    : Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment)

export const row = (): Row => ({ cells: [], continues: false })
export const rowsOf = (count: number): Array<Row> => Array.from({ length: count }, row)

/** A row that the next one goes on with keeps its blanks: they stand between two words. */
export const textOf = ({ cells }: Row, next?: Row): string =>
  next?.continues === true ? cells.join("") : cells.join("").trimEnd()
