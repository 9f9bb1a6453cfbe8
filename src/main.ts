/**
 * The composition root of the command line. Commands that only ask the host are answered without loading more than that
 * takes; everything else is the whole program.
 */
import { answer } from "./main/hot.ts"

await answer(process.argv.slice(2))
await import("./main/program.ts")
