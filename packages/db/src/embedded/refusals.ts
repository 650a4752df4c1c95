/** This machine, or this user, cannot run the embedded PostgreSQL; the message says what to do. */
export class NoEmbeddedDatabase extends Error {
  override readonly name = "NoEmbeddedDatabase";
}

/** A program of PostgreSQL failed; the message is its last one. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
}

/** What the loaders of Linux and macOS print for a program whose library is not there. */
const MISSING_LIBRARY =
  /error while loading shared libraries: ([^\s:]+):|Library not loaded: (\S+)/;

/** Throws `NoEmbeddedDatabase` if a program failed because the system lacks a library of it. */
export function refuseMissingLibrary(error: unknown): void {
  if (!(error instanceof Error)) return;
  const found = MISSING_LIBRARY.exec(error.message);
  if (found === null) return refuseMissingLibrary(error.cause);
  const library = found[1] ?? found[2];
  throw new NoEmbeddedDatabase(
    `The embedded PostgreSQL needs the library ${library}, which this system does not have: install ` +
      "it, or set DATABASE_URL to your own PostgreSQL",
    { cause: error },
  );
}
