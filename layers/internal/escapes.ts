/** The Escape key. What a program gets right after it, it takes for the rest of one key. */
import type * as Send from "../../src/Send.ts"

/** Milliseconds after which a program takes ESC for a key of its own, and not for the begin of another: shells wait 500. */
export const gap = 600

/** Pressed alone, by whichever name of the key. */
export const isEscape = (step: Send.Step | undefined): boolean =>
  step?._tag === "Press" &&
  (step.key.ctrl ? step.key.base === "[" || step.key.base === "3" : step.key.base === "Escape")
