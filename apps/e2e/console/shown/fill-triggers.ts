import { createHmac } from "node:crypto";
import { createRpcClient } from "parley-client";
import { eventually, type Server } from "../../server.ts";

/** Creates a trigger of the shop as a key, and sends it an event. Gives its id once the event has started an answer. */
export async function fillTriggers({ url: base, demo }: Server, apiKey: string): Promise<string> {
  const { triggers } = createRpcClient({ url: base, apiKey });
  const { workspaceId: wId } = demo;
  const { trigger, secret, url } = await triggers.create.mutate({
    wId,
    name: "Complaints",
    description: "Of the form on the website of the shop",
    source: { type: "github" },
    agent: { agentId: "helper" },
    mapping: { type: "jsonata", message: "'Sort this complaint: ' & body.issue.title" },
  });
  const body = JSON.stringify({ action: "opened", issue: { title: "The laces are too short" } });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "x-hub-signature-256": `sha256=${signature}`,
  };
  await fetch(url, { method: "POST", headers, body });
  const named = { wId, triggerId: trigger.sId };
  await eventually<true>(async () => {
    const { events } = await triggers.listEvents.query({ ...named, status: "started" });
    return events.length > 0 ? { value: true } : {};
  }, 20_000);
  return trigger.sId;
}
