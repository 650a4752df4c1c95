import { reasonOfUnavailable } from "@parley/db/unavailable";

/** What to do about a PostgreSQL that refuses, by the beginning of its SQLSTATE or the system's code. */
const cures: readonly (readonly [code: RegExp, cure: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "correct the host in DATABASE_URL"],
  [/^08P01$/, "connect Parley to PostgreSQL itself, not to a pooler"],
  [/^28/, "correct user and password in DATABASE_URL, or allow them in pg_hba.conf"],
  [/^3D/, "create it (createdb), or correct its name in DATABASE_URL"],
  [
    /^42501$/,
    "make the user of DATABASE_URL the owner of the database (alter database … owner to …), or " +
      "grant it create on the database and on its schema public",
  ],
  [/^25006$/, "DATABASE_URL must lead to a primary that takes writes"],
  [/^53300$/, "raise max_connections of PostgreSQL, or lower PARLEY_DATABASE_POOL"],
  [/^53100$/, "free space on the disk of PostgreSQL"],
  [/^57P/, "start again once PostgreSQL is up"],
];
/** What a server without TLS, and one whose certificate is not trusted, make of a connection. */
const TLS = /SSL|certificate/;
const TLS_CURE = "correct sslmode in DATABASE_URL, or the certificate of PostgreSQL";
const UNREACHED = "start PostgreSQL there, or correct DATABASE_URL";

/** Codes of errors that only PostgreSQL and connections to it have. */
const SQLSTATE = /^(?:08|28|3D|53|57|58)[0-9A-Z]{3}$|^42501$|^25006$/;

/** Why PostgreSQL cannot be used, and what to do about it; undefined for other errors. */
export function describeDatabaseFailure(error: Error): string | undefined {
  const root = rootOf(error);
  const { code = "" } = root as NodeJS.ErrnoException;
  if (TLS.test(root.message)) return `the database cannot be used: ${root.message}: ${TLS_CURE}`;
  const reason = reasonOfUnavailable(error) ?? (SQLSTATE.test(code) ? root.message : undefined);
  if (reason === undefined) return undefined;
  const cure = cures.find(([of]) => of.test(code))?.[1] ?? UNREACHED;
  return `the database cannot be used: ${reason}: ${cure}`;
}

/** The first cause; of a host with several addresses, the one of its first address. */
function rootOf(error: Error): Error {
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return next instanceof Error ? rootOf(next) : error;
}
