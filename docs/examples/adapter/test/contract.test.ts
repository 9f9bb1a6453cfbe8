import { RuntimeContract } from "paneway/testing"
import { layer } from "../src/index.ts"

const sh = (script: string, ...args: ReadonlyArray<string>): RuntimeContract.Program => ({
  argv: ["sh", "-c", script, ...args]
})

/** What `stty raw -echo` is on a pane with a tty. */
const raw = "printf '\\033[12h'"

RuntimeContract.suite("pipes", {
  layer: layer(),
  lacks: ["focus", "ansi", "rawOutput", "agentState", "agentPrompt", "setEnvironment", "attach", "sessions", "resize"],
  programs: {
    shell: { argv: ["sh", "-i"] },
    recorder: sh(`${raw}; echo ready; exec cat -vt`),
    pasteRecorder: sh(`${raw}; printf '\\033[?2004h'; echo ready; exec cat -vt`),
    counter: (bytes) => sh(`${raw}; echo ready; head -c "$0" | cksum`, String(bytes))
  }
})
