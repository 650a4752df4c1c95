/** A command that cannot be executed as it was called; the message says what would be right. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
