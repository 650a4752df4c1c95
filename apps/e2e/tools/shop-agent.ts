import type { InputOf, endpoints } from "@parley/schema";
import { createCalls } from "../siblings/calls.ts";
import type { Server } from "../server.ts";
import type { ShopServer } from "./shop-server.ts";

type Registration = Omit<InputOf<(typeof endpoints)["tools.register"]>, "wId" | "spaceId" | "url">;

/** A tool of the shop in the demo's workspace, and an agent that calls one of its tools. */
export function createShopAgents(server: () => Pick<Server, "url" | "demo">) {
  const calls = createCalls(server);
  const wId = () => server().demo.workspaceId;
  return {
    register: async (shop: Pick<ShopServer, "url">, more: Registration = {}) => {
      const { spaceId } = server().demo;
      return calls.rpc().tools.register.mutate({ wId: wId(), spaceId, url: shop.url, ...more });
    },
    /** An agent that calls `name` in its first step, and then repeats what it was answered. */
    createAgent: async (toolId: string, name: string): Promise<string> => {
      const params = { word: "shoes" };
      const { agentConfiguration } = await calls.rpc().agents.create.mutate({
        wId: wId(),
        name: `Seller with ${name}`,
        description: "",
        model: { providerId: "simulated", modelId: "simulated-1" },
        toolIds: [toolId],
        script: {
          steps: [
            { text: "Let me see. ", toolCalls: [{ name, params }] },
            { text: "It says: {{result}}" },
          ],
        },
      });
      return agentConfiguration.sId;
    },
  };
}
