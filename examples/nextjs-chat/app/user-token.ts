const EARLY_MS = 30_000;

let token: Promise<{ readonly token: string; readonly expiresAt: number }> | undefined;

/** The token of the user, from this application's server; a new one before the old one expires. */
export async function userToken(): Promise<string> {
  const known = await token?.catch(() => undefined);
  if (known === undefined || known.expiresAt - EARLY_MS < Date.now()) {
    token = fetch("/token", { method: "POST" }).then(async (response) => {
      if (!response.ok) throw new Error(`The server gave no token: ${response.status}`);
      return response.json();
    });
  }
  return (await token)?.token ?? "";
}
