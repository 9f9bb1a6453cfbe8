/**
 * Time for what the suite expects to happen. `npm run mutants` gives less: a break that nobody answers is red after it.
 */
import * as Duration from "effect/Duration"

export const patience = Duration.millis(Number(process.env["PANEWAY_SUITE_PATIENCE"] ?? 30_000))
