/**
 * Captured text as a value: rows and logical lines, the place where output began, and the search in it.
 *
 * Everything here is pure. A screen says what was on the terminal when it was captured, and its text is data: whoever
 * prints it to a terminal strips control sequences first, as `excerpt` does.
 *
 * @since 0.1.0
 */
export * from "./screen/excerpt.ts"
export * from "./screen/lines.ts"
export * from "./screen/marks.ts"
export * from "./screen/markWord.ts"
export * from "./screen/matching.ts"
export * from "./screen/records.ts"
