import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createTemporaryDatabase } from "@parley/db/testing";
import { createParley, createRpcClient } from "parley-client";
import type { Server } from "../../server.ts";

/** What one run of a command finds: a workspace and a folder of its own. */
export interface World extends AsyncDisposable {
  readonly url: string;
  readonly wId: string;
  /** The key of its admin. */
  readonly adminKey: string;
  readonly operatorKey: string;
  /** The working directory, and where the configuration of the user is. */
  readonly home: string;
  /** An empty database of Parley, for commands that open one. */
  readonly databaseUrl: string;
  /** URL of a server of tools. */
  readonly shopUrl: string;
  readonly rpc: ReturnType<typeof createRpcClient>;
  readonly operator: ReturnType<typeof createRpcClient>;
  readonly parley: ReturnType<typeof createParley>;
  /** Creates a simulated agent that answers at once, and gives its id. */
  createAgent(name: string, text?: string): Promise<string>;
}

interface Place {
  readonly server: Server;
  readonly shop: { readonly url: string };
}

/** Makes the world of a run. */
export async function openWorld({ server, shop }: Place, withDatabase: boolean): Promise<World> {
  const { url, demo } = server;
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const { workspace, adminKey } = await operator.workspaces.create.mutate({ name: "Acme" });
  const wId = workspace.sId;
  const rpc = createRpcClient({ url, apiKey: adminKey });
  const home = await mkdtemp(path.join(os.tmpdir(), "parley-golden-"));
  const database = withDatabase ? await createTemporaryDatabase() : undefined;
  return {
    url,
    wId,
    adminKey,
    operatorKey: demo.operatorKey,
    home,
    shopUrl: shop.url,
    databaseUrl: database?.url ?? "",
    rpc,
    operator,
    parley: createParley({ baseUrl: url, workspaceId: wId, apiKey: adminKey }),
    createAgent: async (name, text = "A simulated answer.") => {
      const { agentConfiguration } = await rpc.agents.create.mutate({
        wId,
        name,
        description: "Answers",
        model: { providerId: "simulated", modelId: "simulated-1" },
        script: { steps: [{ text }], tokenDelayMs: 5 },
      });
      return agentConfiguration.sId;
    },
    [Symbol.asyncDispose]: async () => {
      await database?.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
