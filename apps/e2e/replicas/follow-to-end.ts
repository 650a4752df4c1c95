import { setTimeout as sleep } from "node:timers/promises";
import { readFrames } from "../frames.ts";
import type { FleetClient } from "./insist.ts";
import type { Acknowledged, Ledger, Received } from "./ledger.ts";

const terminal = new Set([
  "agent_message_success",
  "agent_error",
  "agent_generation_cancelled",
  "sandbox_function_invocation_result",
  "sandbox_function_invocation_error",
]);

/** Follows a log to its last event, and comes back after its last event wherever a stream breaks. */
export async function followToEnd(
  client: FleetClient,
  ledger: Ledger,
  { kind, eventsPath }: Acknowledged,
): Promise<Received[]> {
  const received: Received[] = [];
  for (let attempt = 0; !terminal.has(received.at(-1)?.type ?? ""); attempt++) {
    if (attempt > 0) {
      ledger.totals.resumes++;
      await sleep(50 + Math.random() * 200);
    }
    try {
      const response = await fetch(client.nextUrl() + eventsPath.replace("/api/", "/api/sse/"), {
        headers: {
          ...client.headers,
          accept: "text/event-stream",
          "last-event-id": String(received.at(-1)?.seq ?? 0),
        },
      });
      if (response.status !== 200) {
        await response.text();
        continue;
      }
      for await (const { id, data } of readFrames(response)) {
        // The events of an invocation are flat.
        const event = (kind === "answer" ? data["data"] : data) as { type: string };
        received.push({ seq: Number(id), type: event.type, payload: JSON.stringify(event) });
      }
    } catch {
      // The connection broke, or the stream ended inside a frame: the follower comes back.
    }
  }
  return received;
}
