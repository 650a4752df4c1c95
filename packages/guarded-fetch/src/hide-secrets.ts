/** Shorter words, as Bearer, are not secret, and would tear a message apart. */
const SHORTEST_SECRET = 8;

/** Hides secrets in what a server said, which may repeat what it was sent, also as JSON, in a URL or in base64. */
export const hideSecrets = (message: string, secrets: readonly (string | undefined)[]): string =>
  hideForms(message, formsOfSecrets(secrets));

/** Hides every one of these texts, which are in the order of `formsOfSecrets`. */
export const hideForms = (message: string, forms: readonly string[]): string =>
  forms.reduce((text, form) => text.replaceAll(form, "[hidden]"), message);

/** The texts that secrets may be repeated as, the longest first. Another transformation of a secret is not known. */
export function formsOfSecrets(secrets: readonly (string | undefined)[]): readonly string[] {
  const known = secrets.filter((secret) => secret !== undefined);
  const forms = known.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

function formsOf(secret: string): string[] {
  const json = escapeJson(secret);
  const url = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    json,
    // JSON within JSON, and as those write it that escape slashes or keep to ASCII.
    escapeJson(json),
    json.replaceAll("/", String.raw`\/`),
    escapeBeyondAscii(json),
    escapeBeyondAscii(json).replaceAll("/", String.raw`\/`),
    url,
    url.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()),
    url.replaceAll("%2F", "/"),
    new URLSearchParams([["", secret]]).toString().slice(1),
    secret.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark),
    ...base64Of(secret),
  ];
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapeBeyondAscii = (json: string): string =>
  json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );

/** Bits of a character of base64. */
const BITS = 6;

/** What of base64 is the same wherever the secret begins in what was encoded, of both alphabets. */
function base64Of(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / BITS);
    const end = Math.floor((bytes.length * 8) / BITS);
    return [bytes.toString("base64"), bytes.toString("base64url")].map((text) =>
      text.slice(first, end),
    );
  });
}
