/** `paneway agent`: what coding agents do, and how that is known. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const explain = spec({
  path: ["agent", "explain"],
  summary: "Tell what an agent does, and why",
  about: [
    "Judge what a pane shows now (--pane), or a screen in a file (--screen), and print the state with the rule that",
    "decided, the part of the screen that it read, the text there, and the version of the rules. The agent is known by its",
    "program, else by what it shows, or named with --agent.",
    "",
    "Exit codes: 0 for every verdict, unknown among them; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no",
    "such target."
  ],
  flags: {
    pane: Flags.pane,
    screen: { kind: "text", metavar: "file", about: "A file with the rows of a screen, in place of a pane" },
    agent: { kind: "text", metavar: "name", about: "The agent's profile, as agent list --profiles names it" },
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [
    { command: "paneway agent explain --pane \"$pane\"", description: "What is it waiting for?" },
    { command: "paneway agent explain --screen screen.txt --agent claude --json", description: "{state, rule, ...}" }
  ]
})

export const list = spec({
  path: ["agent", "list"],
  summary: "List the agents in panes, or the profiles",
  about: [
    "List the panes in which an agent is known, one a line: handle, agent, state, title. A state is that of one look: wait",
    "agent and agent watch confirm it over time. With --profiles, list the agents that can be known, the versions of their",
    "rules, and files of profiles that cannot be used.",
    "",
    "Exit codes: 0, also when there is none; 2 wrong arguments; 3 no such runtime, or it cannot be asked."
  ],
  flags: {
    profiles: { kind: "switch", about: "List the profiles, not the panes" },
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [],
  tail: "operands",
  examples: [
    { command: "paneway agent list", description: "All agents" },
    { command: "paneway agent list --profiles --json", description: "{profiles: [{name, version}], problems: [...]}" }
  ]
})

export const watch = spec({
  path: ["agent", "watch"],
  summary: "Print each change of agents' states",
  about: [
    "Print a line for each change of the states of the agents in the given panes, or in all there are and come: handle,",
    "state, agent. It begins with the states now and ends with the last of the given panes. Shells are left out.",
    "",
    "Exit codes: 0 the panes ended; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such target."
  ],
  flags: { runtime: Flags.runtime, json: Flags.json },
  operands: [{ name: "target", about: "A pane, by its printed handle or its native id", least: 0, most: 1000 }],
  tail: "operands",
  examples: [{
    command: "paneway agent watch --json",
    description: "One object a line, as wait agent --json prints it"
  }]
})

export const report = spec({
  path: ["agent", "report"],
  summary: "Report what an agent does, from its hook",
  about: [
    "For hooks of agents: tell the host of this pane what the agent in it does, as PANEWAY_PANE and PANEWAY_SOCKET name it.",
    "wait agent and agent watch use it beside what the screen shows, for 10 minutes at most; a dialog that is seen goes",
    "before it, and so does a screen that was drawn later and says something else.",
    "",
    "Exit codes: 0 it was handed over, also where another report counts; 2 wrong arguments, or no pane; 3 the host is not",
    "there or cannot be asked; 4 no such pane."
  ],
  flags: {
    state: {
      kind: "text",
      metavar: "state",
      choices: ["working", "idle", "blocked", "exited"],
      required: true,
      about: "What it does"
    },
    kind: {
      kind: "text",
      metavar: "kind",
      choices: ["trust", "permission", "choice", "login", "usage-limit", "update"],
      about: "What it asks for, where it is blocked"
    },
    agent: { kind: "text", metavar: "name", about: "The agent, as agent list --profiles names it" },
    session: {
      kind: "text",
      metavar: "id",
      about: "Of the agent: only reports of the session that reported first count, until it reports exited"
    },
    sequence: { kind: "text", metavar: "number", about: "Counts the reports of a session; default: by their time" },
    detail: { kind: "text", metavar: "text", about: "Words for people" },
    pane: { kind: "text", metavar: "target", about: "The pane; default: the one that this runs in" },
    json: Flags.json,
    quiet: Flags.quiet
  },
  operands: [],
  tail: "operands",
  examples: [
    {
      command: "paneway agent report --state working --agent claude --quiet || true",
      description: "In a hook, which must not stop the agent"
    },
    { command: "paneway agent report --state blocked --kind permission --json", description: "{pane, result}" }
  ]
})
