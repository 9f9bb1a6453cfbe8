import * as Pty from "../../layers/Pty.ts"
import { RuntimeContract } from "../../src/testing/index.ts"
import { patience } from "./patience.ts"

RuntimeContract.suite("the embedded pty", {
  layer: Pty.layer(),
  patience,
  concurrent: true,
  lacks: ["agentState", "agentPrompt", "setEnvironment", "attach"]
})
