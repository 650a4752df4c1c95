/** The command was called in a way that it does not know. */
export class Usage extends Error {
  override readonly name = "Usage";
}
