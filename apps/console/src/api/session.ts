import { queryOptions } from "@tanstack/react-query";
import { createRpcClient, ParleyError, type SessionOfCaller } from "parley-client";
import { rpc } from "./clients.ts";
import { isSessionOver } from "./failures.ts";

/** The session of the page's user. */
export type Session = SessionOfCaller;

/** Starts a session with a key or a one-time code; the browser keeps its cookie. Throws the server's refusal. */
export async function startSession(credential: string): Promise<Session> {
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new ParleyError("invalid_api_key", "Enter a key such as sk-…, without spaces");
  }
  const client = createRpcClient({ url: location.origin, apiKey: credential });
  return (await client.session.create.mutate({})).session;
}

/** The session of this browser; null without one. Throws the server's refusal. */
async function readSession(): Promise<Session | null> {
  try {
    return (await rpc.session.get.query({})).session;
  } catch (error) {
    if (isSessionOver(error)) return null;
    throw error;
  }
}

/** Ends the session of this browser. Throws the server's refusal. */
export async function endSession(): Promise<void> {
  try {
    await rpc.session.end.mutate({});
  } catch (error) {
    if (!isSessionOver(error)) throw error;
  }
}

/** The session of this browser, read once; pages set it when it begins and ends. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: Infinity,
  gcTime: Infinity,
});
