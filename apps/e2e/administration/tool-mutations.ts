import type { Server } from "../server.ts";
import { shareAccounts } from "../tools/account-server.ts";
import { createPersonalUsers } from "../tools/personal-users.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import type { Doable } from "./doable.ts";

/** The mutations of tools of remote servers, each with what it needs to be done. */
export function describeToolMutations(server: () => Server): Record<string, () => Promise<Doable>> {
  const shop = shareShop();
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const register = async () => (await createShopAgents(server).register(shop())).tool.sId;
  return {
    "tools.register": async () => ({
      input: { ...ofDemo(), spaceId: server().demo.spaceId, url: shop().url },
      subject: ({ tool }: { tool: { readonly sId: string } }) => tool.sId,
    }),
    "tools.updateConnection": async () => {
      const toolId = await register();
      const input = { ...ofDemo(), toolId, version: 0, defaultStake: "low" };
      return { input, subject: toolId };
    },
    "tools.refresh": async () => {
      const toolId = await register();
      return { input: { ...ofDemo(), toolId }, subject: toolId };
    },
  };
}

/** The queries of tools of remote servers, each with an input that it answers. */
export function describeToolQueries(
  server: () => Server,
): Record<string, () => Promise<Pick<Doable, "input">>> {
  const shop = shareShop();
  return {
    "tools.getConnection": async () => {
      const { tool } = await createShopAgents(server).register(shop());
      return { input: { wId: server().demo.workspaceId, toolId: tool.sId } };
    },
  };
}

/** A tool that each user allows, whose server and authorization server end with the tests of a file. */
export function sharePersonalTool(
  server: () => Pick<Server, "url" | "demo">,
): () => Promise<{ wId: string; toolId: string }> {
  const accounts = shareAccounts();
  return async () => {
    const { toolId } = await createPersonalUsers(server, accounts).prepare();
    return { wId: server().demo.workspaceId, toolId };
  };
}
