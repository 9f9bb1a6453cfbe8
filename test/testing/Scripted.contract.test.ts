import * as Scripted from "../../layers/Scripted.ts"
import { RuntimeContract } from "../../src/testing/index.ts"
import { patience } from "./patience.ts"
import { layer, suitePrograms } from "./scriptedPrograms.ts"

// not the directory of panes that ask for none
const common = { programs: suitePrograms, patience, concurrent: true, root: "/project" }

RuntimeContract.suite("a scripted plain terminal that delivers in one call", {
  layer: layer({ agents: false }),
  ...common,
  lacks: ["agentState", "agentPrompt", "ansi"]
})

RuntimeContract.suite("a scripted terminal of agents", {
  layer: layer({ profile: "agent-aware", program: Scripted.shell() }),
  ...common,
  lacks: ["ansi"]
})

RuntimeContract.suite("a scripted terminal that writes step by step, wakes nobody and counts no rows", {
  layer: layer({ agents: false, delivery: "stepwise", marks: "anchored", wraps: "joined", wakeUps: false }),
  ...common,
  lacks: ["agentState", "agentPrompt", "ansi"]
})
