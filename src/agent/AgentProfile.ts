/**
 * How to know a coding agent and what it is doing from what it shows, as data.
 *
 * A profile says how to recognise the program, where its parts stand on the screen, and which texts in which part mean
 * that it works or asks. What is alike in all agents (a spinner, a menu with a marked row, a composer) is known already:
 * a profile adds what only its agent does. Expressions are JavaScript's, without regard to case, each tested on the rows
 * of a region and on its paragraphs with their rows joined; `@name` stands for an expression that is known already.
 *
 * @since 0.1.0
 */
export { load, type Loaded } from "./files.ts"
export * from "./judge.ts"
export * from "./profile.ts"
export * from "./profiles/all.ts"
export * from "./recognise.ts"
export type { Shown } from "./structure/regions.ts"
