import { endpoints, parseInput } from "@parley/schema";
import type { CoreContext } from "../src/create-core.ts";
import { testTrigger } from "../src/triggers/trigger-events.ts";
import { createTrigger } from "../src/triggers/triggers.ts";

/** Creates a trigger with a secret in its URL that starts an agent, with a sample that waits, and gives its id. */
export async function createTestTrigger(
  context: CoreContext,
  settings: object = { source: { type: "url" }, agent: { agentId: "ann" } },
): Promise<string> {
  const wId = context.caller.workspace.sid;
  const input = parseInput(endpoints["triggers.create"], { wId, name: "t", ...settings });
  const { trigger } = await createTrigger(context, input);
  const sample = { wId, triggerId: trigger.sId, body: {} };
  await testTrigger(context, parseInput(endpoints["triggers.test"], sample));
  return trigger.sId;
}
