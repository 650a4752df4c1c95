import { queryOptions } from "@tanstack/react-query";
import { createRpcClient, ParleyError, type SessionOfCaller } from "parley-client";
import { rpc } from "./clients.ts";
import { isSessionOver } from "./failures.ts";
import { currentPlace, rememberSession } from "./signed-in.ts";

/** The session of the page's user. */
export type Session = SessionOfCaller;

/** Starts the session of this tab with a key or a one-time code; the browser keeps its cookie. Throws the server's refusal. */
export async function startSession(credential: string): Promise<Session> {
  const session = await openSession(credential, currentPlace);
  rememberSession(session);
  return session;
}

/** Starts the session of a number with a key or a one-time code, beside that of this tab. Throws the server's refusal. */
export async function openSession(credential: string, place: number): Promise<Session> {
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new ParleyError("invalid_api_key", "Enter a key such as sk-…, without spaces");
  }
  const apiKey = { session: place, key: credential };
  const client = createRpcClient({ url: location.origin, apiKey });
  return (await client.session.create.mutate({})).session;
}

/** The session of this browser; null without one. Throws the server's refusal. */
async function readSession(): Promise<Session | null> {
  try {
    const { session } = await rpc.session.get.query({});
    rememberSession(session);
    return session;
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
  rememberSession(undefined);
}

/** The session of this browser, read once; pages set it when it begins and ends. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: Infinity,
  gcTime: Infinity,
});
