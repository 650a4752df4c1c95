import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The id of a request: the client's if it is short and safe, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
}
