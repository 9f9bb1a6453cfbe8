/**
 * The profiles that are known without a file.
 *
 * @since 0.1.0
 */
import type { AgentProfile } from "../profile.ts"
import { amp, auggie, copilot, cursorAgent, droid, grok, opencode, pi } from "./boxed.ts"
import { claude } from "./claude.ts"
import { codex } from "./codex.ts"
import { gemini, qwen } from "./gemini.ts"
import { aider, amazonq, goose, kimi, shell } from "./lines.ts"

/**
 * @category profiles
 * @since 0.1.0
 */
export const builtIn: ReadonlyArray<AgentProfile> = [
  claude,
  codex,
  gemini,
  cursorAgent,
  opencode,
  copilot,
  aider,
  goose,
  amp,
  amazonq,
  auggie,
  qwen,
  kimi,
  droid,
  pi,
  grok,
  shell
]
