/**
 * The rules of the contract that the suite holds an adapter to. Each test names its rule.
 *
 * @since 0.1.0
 */

/**
 * @internal
 */
export const rules = {
  "programs": "The programs that the suite runs in panes do there what it needs of them.",
  "capabilities": "Capabilities tell what a runtime can do; what it cannot do is refused typed and changes nothing.",
  "request-shape": "A request of the wrong shape makes no native call.",
  "nothing-typed": "A failure that says nothing was typed or created tells the truth, and nothing is left behind.",
  "in-doubt":
    "From the first byte on every failure of a send is SendStalled, with its report, and nothing is sent again.",
  "idempotent-changes": "Closing twice and repeating a change whose answer was lost is safe.",
  "wait-timeout": "Only what observes fails with WaitTimeout; it says what was seen last and can be repeated.",
  "pane-ended": "A wait whose pane ends fails at once, unless the end is what it waits for.",
  "exact-handles": "A handle of another runtime, host, server or incarnation never reaches a pane.",
  "printed-handles": "A handle prints as one word for a shell, and only resolve leads back from text to a pane.",
  "sessions": "A window belongs to a session, whose name matches exactly.",
  "windows": "A window is made once for its name, root and preset; another root or preset is a conflict.",
  "prepared-panes": "preparePane gives a live shell that outlives its commands, and takes an idle one again.",
  "spawning": "A spawn makes one pane as asked, or says what may exist.",
  "send-profiles": "What a request means depends on the profile alone.",
  "send-shapes":
    "sendText never submits, sendCommand submits once, typeInto submits what ends in a newline, keys are pressed.",
  "text-filter": "Text cannot smuggle control characters, and arrives byte for byte otherwise.",
  "newlines": "Several lines are one paste where the program asked for it, and are refused elsewhere.",
  "any-size": "Text of any size arrives complete.",
  "held-panes": "A pane whose program ended takes no text; one that is gone is not found.",
  "one-writer": "Two senders never interleave.",
  "stalls": "A write that makes no progress ends by its deadline, in doubt, with at most one submit.",
  "delivery-report": "A report says what was observed, and nothing more.",
  "marks": "After a mark only what came later counts.",
  "echo": "What the library typed never matches; a program that prints the same does.",
  "lost-marks": "A mark that cannot be placed makes the wait look at the whole screen and say so.",
  "later-turn": "After a mark an agent's state counts only in a later turn.",
  "logical-lines": "Waits match on logical lines, whatever the width.",
  "register-first": "Nothing that is printed is missed between the registration of a wait and its looks.",
  "timeouts": "Zero is one look, infinity is allowed; negative, unreadable and bare numbers are refused.",
  "stillness": "A screen is still when it has not changed for the time that was asked for.",
  "shared-looks": "All who wait on a pane share its looks.",
  "lifecycle": "Conditions of windows and panes are observed, without a verdict.",
  "not-knowing": "What cannot be asked is unknown or unavailable, never empty and never gone.",
  "agent-states": "An agent's state comes with its evidence; unknown satisfies no wait that does not list it.",
  "running": "run gives the exit code and exactly the output of a command, or says what it did.",
  "interruption": "Interrupting an operation leaves no pane, watch or lock behind, and cuts no delivery.",
  "closing": "A runtime whose scope was closed leaves nothing behind.",
  "streams": "Streams begin with what is so and go on with the changes.",
  "untrusted-output": "What a pane shows is data: failures carry bounded text without control sequences."
} as const

/**
 * The short name of a rule.
 *
 * @internal
 */
export type Rule = keyof typeof rules
