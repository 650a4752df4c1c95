/** Reads `Prefer` (RFC 7240): `respond-async` waits 0 s, `wait=N` N seconds. */
export function parsePreferredWait(header: string | string[] | undefined): number | undefined {
  const preferences = String(header ?? "")
    .split(",")
    .map((preference) => preference.trim().toLowerCase());
  if (preferences.includes("respond-async")) return 0;
  const wait = preferences.find((preference) => /^wait=\d{1,6}$/.test(preference));
  return wait === undefined ? undefined : Number(wait.slice("wait=".length)) * 1000;
}
