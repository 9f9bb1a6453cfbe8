import * as Scripted from "../../layers/Scripted.ts"
import { RuntimeContract } from "../../src/testing/index.ts"
import { layer, suitePrograms } from "./scriptedPrograms.ts"

const programs = suitePrograms

RuntimeContract.suite("a scripted plain terminal that delivers in one call", {
  layer: layer({ agents: false }),
  programs,
  lacks: ["agentState", "agentPrompt", "ansi"]
})

RuntimeContract.suite("a scripted terminal of agents", {
  layer: layer({ profile: "agent-aware", program: Scripted.shell() }),
  programs,
  lacks: ["ansi"]
})

RuntimeContract.suite("a scripted terminal that writes step by step, wakes nobody and counts no rows", {
  layer: layer({ agents: false, delivery: "stepwise", marks: "anchored", wraps: "joined", wakeUps: false }),
  programs,
  lacks: ["agentState", "agentPrompt", "ansi"]
})
