/** Which variables of this process panes get. */
export { filter } from "../../src/internal/variables.ts"
