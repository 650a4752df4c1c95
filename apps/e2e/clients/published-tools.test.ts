import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";
import { finder, textResult, usingServers } from "../tools/client-server.ts";
import { installPackages } from "./install-package.ts";

// The transport of the published client, with a server of the SDK that it is made for.

const CLIENT = "@dust-tt/client";
const SDK = "@modelcontextprotocol/sdk";

interface Transport {
  getServerId(): string | undefined;
}
interface SdkServer {
  registerTool(name: string, about: object, call: () => Promise<object>): void;
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

describe("the transport of the published client", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let directory: string;
  let missing: string | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "parley-clients-"));
    missing = await installPackages(path.join(directory, "tools"), [
      `${CLIENT}@1.2.8`,
      `${SDK}@1.29.0`,
    ]);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("registers a server whose tools agents call", async (context) => {
    if (missing !== undefined) return context.skip(missing);
    const require = createRequire(path.join(directory, "tools", "index.js"));
    const { DustAPI, DustMcpServerTransport } = require(CLIENT) as {
      DustAPI: new (config: object, credentials: object, logger: object) => object;
      DustMcpServerTransport: new (
        api: object,
        onServerId: (id: string) => void,
        name: string,
      ) => Transport;
    };
    const { McpServer } = require(`${SDK}/server/mcp.js`) as {
      McpServer: new (about: object) => SdkServer;
    };
    const { workspaceId, adminKey: apiKey } = server().demo;
    const say = (): void => {};
    const logger = { trace: say, debug: say, info: say, warn: say, error: say };
    const api = new DustAPI({ url: server().url }, { workspaceId, apiKey }, logger);
    const found: string[] = [];
    const transport = new DustMcpServerTransport(api, (id) => found.push(id), "editor");
    const mine = new McpServer({ name: "editor", version: "1.0.0" });
    let count = 0;
    mine.registerTool("find", { description: "Finds" }, async () => {
      count++;
      return textResult("Found by the published client");
    });
    await mine.connect(transport);
    try {
      const agentId = await calls.createAgent("Finder", finder);
      const message = {
        content: "Find",
        mentions: mentionOf(agentId),
        ...usingServers(found[0] ?? ""),
      };
      const more = { message, skipToolsValidation: true, blocking: true };
      const { conversation } = await calls.create("", [], more);
      const [answer] = answersOf(await calls.get(conversation.sId));
      expect(answer?.content).toBe("It says: Found by the published client");
      expect(transport.getServerId()).toBe(found[0]);
      expect(count).toBe(1);
    } finally {
      await mine.close();
    }
    return undefined;
  });
});
