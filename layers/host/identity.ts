/** What a host says of itself: that of the embedded pty, so that nobody has to ask before the first call. */
import type { Identity } from "../Remote.ts"

export const identity: Identity = {
  runtime: "pty",
  sendProfile: "plain-pane",
  capabilities: {
    focus: "native",
    splitPane: "native",
    scrollback: "native",
    ansi: "native",
    rawOutput: "native",
    wakeUps: "native",
    agentState: "derived",
    agentPrompt: "none",
    exitStatus: "native",
    setEnvironment: "none",
    attach: "none",
    sessions: "native",
    windowMetadata: "native",
    bracketedPaste: "native",
    resize: "native"
  }
}
