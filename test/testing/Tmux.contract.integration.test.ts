import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { RuntimeContract } from "../../src/testing/index.ts"
import { idleServer } from "../fixtures/tmuxServers.ts"
import { patience } from "./patience.ts"

/** On a server of its own, which ends with it. */
const layer = (options: Tmux.Options) =>
  Layer.unwrap(
    Effect.map(idleServer, ({ env, path }) => Tmux.layer({ ...options, server: { path }, env, session: "paneway" }))
  )

RuntimeContract.suite("tmux by a control client", {
  layer: layer({}),
  patience,
  concurrent: true,
  lacks: ["rawOutput", "agentState", "agentPrompt"]
})

RuntimeContract.suite("tmux by a process for each call", {
  layer: layer({ way: "forked" }),
  patience,
  concurrent: true,
  lacks: ["rawOutput", "agentState", "agentPrompt", "bracketedPaste"]
})
