import * as Pty from "../../layers/Pty.ts"
import { RuntimeContract } from "../../src/testing/index.ts"

RuntimeContract.suite("the embedded pty", {
  layer: Pty.layer(),
  lacks: ["agentState", "agentPrompt", "setEnvironment", "attach"]
})
