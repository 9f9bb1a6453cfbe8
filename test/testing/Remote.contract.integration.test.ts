import * as Pty from "../../layers/Pty.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { RuntimeContract } from "../../src/testing/index.ts"
import { remote } from "../fixtures/served.ts"
import { patience } from "./patience.ts"
import { layer, suitePrograms } from "./scriptedPrograms.ts"

RuntimeContract.suite("a scripted terminal over a socket", {
  layer: remote(layer({ agents: false })),
  programs: suitePrograms,
  patience,
  concurrent: true,
  lacks: ["agentState", "agentPrompt", "ansi", "attach"]
})

RuntimeContract.suite("a scripted terminal of agents over a socket", {
  layer: remote(layer({ profile: "agent-aware", program: Scripted.shell() })),
  programs: suitePrograms,
  patience,
  concurrent: true,
  lacks: ["ansi", "attach"]
})

RuntimeContract.suite("the embedded pty over a socket", {
  layer: remote(Pty.layer()),
  patience,
  concurrent: true,
  lacks: ["agentState", "agentPrompt", "setEnvironment", "attach"]
})
