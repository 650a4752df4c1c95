/** This machine, or this user, cannot run the embedded PostgreSQL; the message says what to do. */
export class NoEmbeddedDatabase extends Error {
  override readonly name = "NoEmbeddedDatabase";
}

/** A program of PostgreSQL failed; the message is its last one. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
}
