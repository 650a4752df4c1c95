/** Ways in which Parley authenticates to a server. */
export const authKinds = {
  none: "None",
  bearer: "Bearer token",
  headers: "Headers",
  client: "OAuth client",
  personal: "OAuth by each user",
} as const;

export type AuthKind = keyof typeof authKinds;

/** The authentication part of a registration. */
interface Auth {
  readonly headers?: Record<string, string>;
  readonly oauth?: {
    readonly grant: "client_credentials" | "authorization_code";
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly scope?: string;
  };
}

/** Reads the authentication from a form. Throws `SyntaxError` with a readable message. */
export function readAuth(form: FormData, kind: AuthKind): Auth {
  const given = (name: string) => String(form.get(name) ?? "").trim();
  switch (kind) {
    case "none":
      return { headers: {} };
    case "bearer":
      return { headers: { Authorization: `Bearer ${given("token")}` } };
    case "headers":
      return { headers: readHeaders(given("headers")) };
    default: {
      const optional = Object.fromEntries(
        ["clientId", "clientSecret", "scope"]
          .map((name) => [name, given(name)] as const)
          .filter(([, value]) => value !== ""),
      );
      const grant = kind === "client" ? "client_credentials" : "authorization_code";
      return { oauth: { grant, ...optional } };
    }
  }
}

/** Reads headers, one per line. */
function readHeaders(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) {
        throw new SyntaxError(`Each line must be a header such as “X-Key: value”, not “${line}”`);
      }
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** The kind with this id. */
export function authKindOf(value: string): AuthKind | undefined {
  return value in authKinds ? (value as AuthKind) : undefined;
}
