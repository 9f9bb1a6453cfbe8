/**
 * The one vocabulary of keys. Callers write the spelling that they know; everything behind the contract sees a
 * {@link Key}, and adapters turn it into bytes with `encode` or into their program's spelling.
 *
 * @since 0.1.0
 */
export * from "./keys/encoding.ts"
export { enter, isEnter, Key, make, type Modifiers, Named } from "./keys/key.ts"
export * from "./keys/parsing.ts"
export * from "./keys/tmux.ts"
