import { mintUserToken } from "./mint-user-token.ts";

/** Gives the browser a token of the user who is signed in. */
export async function POST(): Promise<Response> {
  const token = await mintUserToken(currentUser());
  return Response.json(token, { headers: { "cache-control": "no-store" } });
}

/** Your own id of the user of this request: from your session, never from what the browser says. */
function currentUser(): string {
  return "ada";
}
