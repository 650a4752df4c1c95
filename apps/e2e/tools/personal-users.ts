import { createRpcClient } from "parley-client";
import { type AgentMessage, type BlockedAction, TokenScope } from "@parley/schema";
import { minimal, pathsOf, send } from "../request.ts";
import { eventually, type Server } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";
import type { AccountServer } from "./account-server.ts";
import { createShopAgents } from "./shop-agent.ts";

const PATIENCE_MS = 15_000;

/** A tool that each user allows, an agent that calls it, and users. */
export function createPersonalUsers(
  server: () => Pick<Server, "url" | "demo">,
  accounts: () => AccountServer,
) {
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const wId = () => server().demo.workspaceId;
  const rpc = (apiKey = server().demo.adminKey) => createRpcClient({ url: server().url, apiKey });
  const conversations = () => pathsOf(server()).conversations;
  const users = {
    rpc,
    wId,
    /** Registers the server, and creates an agent that calls its tool once. */
    prepare: async (more: Parameters<typeof agents.register>[1] = {}) => {
      const made = await agents.register(
        { url: accounts().mcpUrl },
        {
          name: "accounts",
          defaultStake: "never_ask",
          oauth: { grant: "authorization_code" },
          ...more,
        },
      );
      const toolId = made.tool.sId;
      return { ...made, toolId, agentId: await agents.createAgent(toolId, "accounts__whoami") };
    },
    /** A user's token. */
    create: async (externalId: string): Promise<string> => {
      const scopes = [...TokenScope.options];
      const created = await rpc().userTokens.create.mutate({ wId: wId(), externalId, scopes });
      return created.secret;
    },
    /** Sends a user away to sign in with this account. Gives the URL that the browser returns to. */
    send: async (key: string, { toolId, login }: { toolId: string; login: string }) => {
      const started = await rpc(key).toolAuthorizations.start.mutate({ wId: wId(), toolId });
      return accounts().approve(started.authorization.authorizationUrl, login);
    },
    /** Sends the form of the page that somebody came back to. Gives the text of the next. */
    confirm: async (back: URL): Promise<string> => {
      const html = await (await fetch(back)).text();
      const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)];
      const body = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
      const done = await fetch(back.origin + back.pathname, { method: "POST", body });
      return done.text();
    },
    /** Lets the tool be called for a user. */
    allow: async (key: string, who: { toolId: string; login: string }): Promise<string> =>
      users.confirm(await users.send(key, who)),
    /** Asks an agent. Gives the id of the conversation. */
    ask: async (key: string, agentId: string): Promise<string> => {
      const json = { message: { ...minimal.message, mentions: mentionOf(agentId) } };
      const { text } = await send(server(), { path: conversations(), key, json });
      return (JSON.parse(text) as { conversation: { sId: string } }).conversation.sId;
    },
    answer: (key: string, cId: string): Promise<AgentMessage> =>
      eventually(async () => {
        const [answer] = answersOf(await calls.get(cId, key));
        return answer === undefined || answer.status === "created" ? {} : { value: answer };
      }, PATIENCE_MS),
    listBlocked: async (key: string, cId: string): Promise<BlockedAction[]> => {
      const path = `${conversations()}/${cId}/actions/blocked`;
      const { text } = await send(server(), { path, key });
      return (JSON.parse(text) as { blockedActions: BlockedAction[] }).blockedActions;
    },
    /** The call that waits in this state. */
    blocked: (key: string, cId: string, status: BlockedAction["status"]): Promise<BlockedAction> =>
      eventually(async () => {
        const [value] = await users.listBlocked(key, cId);
        return value?.status === status ? { value } : {};
      }, PATIENCE_MS),
    decide: async (
      key: string,
      { conversationId, messageId, actionId }: BlockedAction,
      approved: "approved" | "rejected",
    ) => {
      const path = `${conversations()}/${conversationId}/messages/${messageId}/validate-action`;
      return send(server(), { method: "POST", path, key, json: { actionId, approved } });
    },
  };
  return users;
}
