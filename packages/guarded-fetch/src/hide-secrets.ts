/** Shorter words, as Bearer, are not secret, and would tear a message apart. */
const SHORTEST_SECRET = 8;

/** Hides secrets in what a server said, which may repeat what it was sent. */
export function hideSecrets(message: string, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter(
    (secret) => secret !== undefined && secret.length >= SHORTEST_SECRET,
  );
  const longestFirst = known.toSorted((one, other) => (other?.length ?? 0) - (one?.length ?? 0));
  return longestFirst.reduce<string>(
    (text, one) => text.replaceAll(one ?? "", "[hidden]"),
    message,
  );
}
