import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { createRpcClient } from "parley-client";
import { beforeAll, expect, test } from "vitest";
import { mentionOf } from "../siblings/calls.ts";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";

// The memory tool of Anthropic's SDK with handlers over REST, and an agent that has the same memory.

const server = shareServer();
type Command = Parameters<ReturnType<typeof betaMemoryTool>["run"]>[0];

let tokenOf: (externalId: string) => Promise<string>;
beforeAll(async () => {
  const { url, demo } = server();
  const wId = demo.workspaceId;
  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const { secret } = await admin.apiKeys.create.mutate({ wId, name: "app", role: "user" });
  const app = createRpcClient({ url, apiKey: secret });
  const scopes = ["conversations:read", "conversations:write"] as const;
  tokenOf = async (externalId) =>
    (await app.userTokens.create.mutate({ wId, externalId, scopes: [...scopes] })).secret;
});

/** The tool of the SDK, for the user of a token. */
function toolOf(key: string) {
  const path = `/api/admin/workspaces/${server().demo.workspaceId}/memories/commands`;
  const run = async (command: Command): Promise<string> => {
    const answer = await send(server(), { method: "POST", path, key, json: command });
    const { output, isError } = JSON.parse(answer.text) as { output: string; isError: boolean };
    if (isError) throw new Error(output);
    return output;
  };
  const handlers: MemoryToolHandlers = {
    view: run,
    create: run,
    str_replace: run,
    insert: run,
    delete: run,
    rename: run,
  };
  return betaMemoryTool(handlers);
}

test("the memory tool of the SDK works on the memory that an agent of the user reads and writes", async () => {
  const { url, demo } = server();
  const [ada, bob] = [await tokenOf("ada"), await tokenOf("bob")];
  const tool = toolOf(ada);
  const path = "/memories/user/tea.md";
  const create = { command: "create", path, file_text: "Likes tea" } as const;
  expect(await tool.run(create)).toBe(`File created successfully at: ${path}`);
  await expect(tool.run(create)).rejects.toThrow(`File ${path} already exists`);
  await tool.run({ command: "str_replace", path, old_str: "tea", new_str: "green tea" });
  await tool.run({ command: "insert", path, insert_line: 1, insert_text: "No sugar\n" });
  const moved = "/memories/user/drinks/tea.md";
  await tool.run({ command: "rename", old_path: path, new_path: moved });
  expect(await tool.run({ command: "view", path: "/memories" })).toBe(
    "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
      "4K\t/memories\n4K\t/memories/user/\n4K\t/memories/user/drinks/",
  );

  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const call = (params: object) => [{ name: "memory", params: { ...params } }];
  const { agentConfiguration } = await admin.agents.create.mutate({
    wId: demo.workspaceId,
    name: "rememberer",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    memory: { user: "write" },
    script: {
      steps: [
        {
          toolCalls: call({ command: "create", path: "/memories/user/seen.md", file_text: "Yes" }),
        },
        { toolCalls: call({ command: "view", path: moved }) },
        { text: "{{result}}" },
      ],
    },
  });
  const answerTo = async (key: string): Promise<string | null> => {
    const { conversation } = await createRpcClient({
      url,
      apiKey: key,
    }).conversations.create.mutate({
      wId: demo.workspaceId,
      message: { content: "Tea?", mentions: mentionOf(agentConfiguration.sId) },
      blocking: true,
    });
    const answer = conversation.content.at(-1)?.at(-1);
    return answer?.type === "agent_message" ? answer.content : null;
  };
  const text = `Here's the content of ${moved} with line numbers:\n     1\tLikes green tea\n     2\tNo sugar`;
  expect(await answerTo(ada)).toBe(text);
  expect(await tool.run({ command: "view", path: "/memories/user/seen.md" })).toContain("\tYes");
  // Another user has the agent, and nothing of this.
  const missing = `The path ${moved} does not exist. Please provide a valid path.`;
  expect(await answerTo(bob)).toBe(missing);
  await expect(toolOf(bob).run({ command: "view", path: moved })).rejects.toThrow(missing);
  expect(await tool.run({ command: "delete", path: moved })).toBe(`Successfully deleted ${moved}`);
  await expect(tool.run({ command: "view", path: moved })).rejects.toThrow("does not exist");
});

test("commands that change nothing are not in the audit log", async () => {
  const { url, demo } = server();
  const { workspaceId: wId } = demo;
  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const path = "/memories/agent/audited.md";
  const create = { wId, agentId: "helper", command: "create", path, file_text: "Tea" } as const;
  const recorded = async () => {
    const { auditEvents: events } = await admin.audit.list.query({ wId, limit: 100 });
    return events.filter(({ action }) => action === "memories.run").map((one) => one.subjectId);
  };
  const before = await recorded();
  await admin.memories.run.mutate(create);
  expect(await admin.memories.run.mutate(create)).toMatchObject({ isError: true });
  await admin.memories.run.mutate({ wId, agentId: "helper", command: "view", path });
  await admin.memories.run.mutate({ wId, agentId: "helper", command: "delete", path });
  expect(await recorded()).toEqual(["delete", "create", ...before]);
});
