import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { makeDirectory } from "../child-process.ts";
import type { Demo } from "../parley-server.ts";

/** What the daily tasks need besides the demo workspace. */
export interface Given {
  /** A word that one message has. */
  readonly word: string;
  /** The mended code of the function `greet`. */
  readonly mended: string;
  /** A folder with a skill. */
  readonly skillFolder: string;
  /** A server with tools: this one. */
  readonly toolUrl: string;
  readonly key: string;
}

/** Makes a call that waits for approval, a run that has failed, a function with a mistake, a skill, and a message to find. */
export async function fillTasks(
  resources: AsyncDisposableStack,
  { url, workspaceId: wId, adminKey: key }: Demo,
): Promise<Given> {
  const rpc = createRpcClient({ url, apiKey: key });
  const create = rpc.sandboxFunctions.create;
  const refund = { type: "simulated", behaviour: { steps: [], result: "{'refunded': orderId}" } };
  const broken = {
    type: "simulated",
    behaviour: { steps: [], error: { code: "threw", message: "It is broken" } },
  };
  const source = "export default ({ name }: { name: string }) => `Hello, ${nam}`;\n";
  const functions = [
    { slug: "refund", description: "Refunds an order", program: refund, requiresApproval: true },
    { slug: "broken", description: "Always fails", program: broken },
    { slug: "greet", description: "Greets", program: { type: "javascript", source } },
  ] as const;
  for (const { program, ...one } of functions) {
    // oxlint-disable-next-line no-await-in-loop -- as few as they are
    await create.mutate({ wId, ...one, program } as Parameters<typeof create.mutate>[0]);
  }
  await rpc.sandboxFunctions.invoke.mutate({ wId, functionId: "broken", input: {} });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Clerk",
    description: "Refunds",
    model: { providerId: "simulated", modelId: "simulated-1" },
    functionIds: ["refund"],
    script: {
      steps: [{ text: "", toolCalls: [{ name: "refund", params: { orderId: "1042" } }] }],
    },
  });
  const price = { input: "1", output: "1", currency: "USD" };
  await rpc.prices.set.mutate({ wId, providerId: "simulated", modelId: "simulated-1", ...price });
  // Calls of simulated models are counted where there is a budget.
  const month = { name: "All", scope: "workspace", period: "month", limit: "100" } as const;
  await rpc.budgets.create.mutate({ wId, ...month });
  const ask = async (content: string, configurationId: string): Promise<string> => {
    const message = { content, mentions: [{ configurationId }] };
    return (await rpc.conversations.create.mutate({ wId, message })).conversation.sId;
  };
  await ask("Refund order 1042", agentConfiguration.sId);
  const word = "wheelbarrow";
  const cId = await ask("Where is it?", "helper");
  await rpc.messages.create.mutate({ wId, cId, content: `I mean the ${word}`, mentions: [] });
  const skillFolder = path.join(await makeDirectory(resources), "greeting");
  await mkdir(skillFolder);
  const skill = "---\nname: greeting\ndescription: Greets people.\n---\n\nSay hello first.\n";
  await writeFile(path.join(skillFolder, "SKILL.md"), skill);
  const mended = source.replace("${nam}", "${name}");
  return { word, mended, skillFolder, toolUrl: new URL("/mcp", url).href, key };
}
