/** What the code inside may set of a URL. */
const settable = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
const MAX_CHARACTERS = 65_536;
/**
 * JSON of the parts of a URL, as JSON asks for it: the URL, its base, and a part to set with its value. Undefined
 * if it is none, or too long.
 */
export function parseUrl(asked: string): string | undefined {
  const given: unknown = JSON.parse(asked);
  if (!Array.isArray(given)) return undefined;
  const isText = (part: unknown) => typeof part === "string" && part.length <= MAX_CHARACTERS;
  if (!given.every((part) => part === null || isText(part))) return undefined;
  const [href, base, name, value] = given as (string | null)[];
  if (typeof href !== "string") return undefined;
  const part = settable.find((one) => one === name);
  const url = URL.parse(href, base ?? undefined);
  if (url === null) return undefined;
  try {
    if (part !== undefined) url[part] = value ?? "";
  } catch {
    return undefined;
  }
  const parts = settable.map((one) => [one, url[one]]);
  return JSON.stringify({ ...Object.fromEntries(parts), origin: url.origin });
}
