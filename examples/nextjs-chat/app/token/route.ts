import { cookies } from "next/headers";
import { mintUserToken } from "./mint-user-token.ts";

/** Gives the browser a token of the user who is signed in. */
export async function POST(): Promise<Response> {
  const token = await mintUserToken(await currentUser());
  return Response.json(token, { headers: { "cache-control": "no-store" } });
}

/**
 * Your own id of the user of this request. Read it from your session: this cookie takes the place of one, and
 * whoever sets it is that user.
 */
async function currentUser(): Promise<string> {
  return (await cookies()).get("user")?.value ?? "ada";
}
