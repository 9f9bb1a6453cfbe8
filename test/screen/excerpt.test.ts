import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Screen from "../../src/Screen.ts"
import * as Target from "../../src/Target.ts"
import { growth } from "../fixtures/processor.ts"

const pane = new Target.PaneHandle({ runtime: "pty", host: "h", scope: "s", id: "p1", incarnation: "1" })
const mark = new Screen.Mark({ pane })

/** Put together here, so that no scanner takes the test for a leak. */
const shaped = {
  openai: `sk-${"a1".repeat(12)}`,
  github: `ghp_${"a1".repeat(18)}`,
  slack: `xoxb-${"1".repeat(12)}-x`,
  aws: `AKIA${"ABCD".repeat(4)}`,
  google: `AIza${"a_".repeat(18)}`,
  npm: `npm_${"a1".repeat(18)}`,
  gitlab: `glpat-${"a1".repeat(10)}`,
  jwt: `eyJ${"a".repeat(12)}.${"b".repeat(12)}.${"c".repeat(8)}`
}

describe("scrubbing", () => {
  it("masks the values of names that mean a secret, and keeps the names", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["OPENAI_API_KEY=abc", "OPENAI_API_KEY=***"],
      ["export GITHUB_TOKEN='a b c' && x", "export GITHUB_TOKEN=*** && x"],
      ["TOKEN_COUNT=5", "TOKEN_COUNT=***"],
      ["AWS_SECRET_ACCESS_KEY=a/b+c==", "AWS_SECRET_ACCESS_KEY=***"],
      ["GOOGLE_APPLICATION_CREDENTIALS=/x/y.json", "GOOGLE_APPLICATION_CREDENTIALS=***"],
      ["APIKEY=1 PASSWORD_FILE=/x", "APIKEY=*** PASSWORD_FILE=***"],
      ["{\"apiKey\": \"x y\", \"n\": 1}", "{\"apiKey\": ***, \"n\": 1}"],
      ["access_token: abc", "access_token: ***"],
      ["clientSecret => 'abc'", "clientSecret => ***"],
      ["curl --token abc --password=def -v", "curl --token *** --password=*** -v"],
      ["Authorization: Bearer abcdefgh12345", "Authorization: Bearer ***"],
      ["authorization: basic dXNlcjpwYXNz", "authorization: basic ***"],
      ["postgres://me:pw@host/db", "postgres://me:***@host/db"],
      ["SECRET=\"open", "SECRET=***"],
      ["x-api-key: abc", "x-api-key: ***"],
      ["PRIVATE_KEY=abc", "PRIVATE_KEY=***"],
      ["password=", "password="],
      ["Password: ", "Password: "]
    ]
    for (const [text, expected] of cases) assert.strictEqual(Screen.scrub(text), expected)
  })

  it("keeps names that only look like one", () => {
    for (
      const text of ["MAX_TOKENS=500", "AWS_ACCESS_KEY_ID=x", "SSH_AUTH_SOCK=/x", "DATABASE_URL=x", "12 tokens: used"]
    ) {
      assert.strictEqual(Screen.scrub(text), text)
    }
  })

  it("masks what has the form of a known issuer's token", () => {
    for (const token of Object.values(shaped)) assert.strictEqual(Screen.scrub(`use ${token}, now`), "use ***, now")
  })

  it("masks a private key, whole or cut", () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${"QUJD".repeat(10)}\n${
      "QUJD".repeat(3)
    }\n-----END RSA PRIVATE KEY-----`

    assert.strictEqual(Screen.scrub(`${key}\nok`), "-----BEGIN RSA PRIVATE KEY----- ***\nok")
    assert.notInclude(Screen.scrub(key.slice(0, 60)), "QUJD")
    assert.notInclude(Screen.scrub(key.slice(40)), "QUJDQUJDQUJD\n")
  })

  it("takes no time for text made to take it", () => {
    for (
      const part of [
        "token",
        "token_",
        "a",
        "-",
        "\"",
        "eyJ",
        "a://",
        "-----BEGIN PRIVATE KEY-----",
        "QUJD\n",
        "\u001b[1;"
      ]
    ) {
      assert.isBelow(growth((length) => Screen.excerpt(part.repeat(length / part.length)), 200_000), 30)
    }
  })

  it.effect.prop(
    "leaves what is scrubbed as it is",
    [Schema.String],
    ([text]) => Effect.sync(() => Screen.scrub(Screen.scrub(text)) === Screen.scrub(text))
  )
})

describe("an excerpt", () => {
  it("case 112: has no escape sequences, whatever was coloured", () => {
    const coloured = Array.from("Do you want", (letter) => `\u001b[3${letter.length}m${letter}\u001b[0m`).join("")
    const link = "\u001b]8;;http://x\u0007here\u001b]8;;\u0007"

    assert.strictEqual(Screen.excerpt(`${coloured} ${link}?\u001b[?25l\u009b2K\u0007\u0000`), "Do you want here?")
  })

  it("is the end of the text in at most 1200 bytes, cut between characters", () => {
    for (const character of ["a", "é", "漢", "😀"]) {
      const cut = Screen.excerpt(character.repeat(2000))

      assert.isAtMost(Buffer.byteLength(cut), 1200)
      assert.isAbove(Buffer.byteLength(cut), 1195)
      assert.strictEqual(cut, `...${character.repeat((cut.length - 3) / character.length)}`)
    }
    assert.strictEqual(Screen.excerpt("a".repeat(1200)), "a".repeat(1200))
    assert.strictEqual(Screen.excerpt("漢字", 6), "漢字")
    assert.strictEqual(Screen.excerpt("漢字", 5), "...")
    assert.strictEqual(Screen.excerpt("漢字", 2), "")
    assert.strictEqual(Screen.excerpt("abcdef", 5), "...ef")
    assert.isTrue(Screen.excerpt(`${"x\n".repeat(2000)}question?\n\n  `).endsWith("\nquestion?"))
  })

  it("of a screen finds a secret that the terminal wrapped, and one in colours", () => {
    const screen = new Screen.Screen({
      rows: ["export GITHUB_TO", "KEN=abcdefghijkl", "mnop", "$"],
      wrapped: [0, 1],
      joined: false,
      truncated: false,
      mark
    })

    assert.strictEqual(Screen.excerpt(screen), "export GITHUB_TOKEN=***\n$")
    assert.strictEqual(Screen.excerpt("GITHUB_\u001b[1mTOKEN\u001b[0m=abc"), "GITHUB_TOKEN=***")
  })

  it("is scrubbed before it is cut", () => {
    assert.notInclude(Screen.excerpt(`SECRET=${"hush".repeat(1000)}`), "hush")
  })

  it.effect.prop(
    "holds nothing that a terminal obeys, and is its own excerpt",
    [Schema.String],
    ([text]) =>
      Effect.sync(() => {
        const cut = Screen.excerpt(`\u001b[1m${text}\u009b0m`)

        assert.notMatch(cut, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        assert.strictEqual(Screen.excerpt(cut), cut)
      })
  )
})
