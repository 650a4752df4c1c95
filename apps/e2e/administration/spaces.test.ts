import { createRpcClient } from "parley-client";
import { type Endpoint, type EndpointName, endpoints } from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { comparable, createAsk } from "./ask-endpoint.ts";
import { type ClosedSpace, createClosedSpace, unknownThings } from "./closed-space.ts";
import { apart } from "./calls-apart.ts";
import { naming, type Own, telling } from "./space-calls.ts";

// One workspace, and a space of it that is closed to the caller: every operation, with a key of each
// role that may call it.

const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
const roles = ["user", "builder", "admin"] as const;
type Role = (typeof roles)[number];
const rolesOf = ({ role }: Endpoint): readonly Role[] =>
  roles.slice(Math.max(0, roles.indexOf(role as Role)));

test("every operation is one that may name or tell something of a space, or says why not", () => {
  const named = [...Object.keys(naming), ...Object.keys(telling)];
  expect([...new Set([...named, ...Object.keys(apart)])].toSorted()).toEqual(
    all.map(([name]) => name).toSorted(),
  );
  expect(Object.keys(apart).filter((name) => named.includes(name))).toEqual([]);
  expect(Object.values(apart)).not.toContain("");
});

const server = shareServer();
const ask = createAsk(server);
let closed: ClosedSpace;
const outsiders = new Map<Role, { key: string; own: Own }>();

beforeAll(async () => {
  closed = await createClosedSpace(server);
  const { url, demo } = server();
  const { workspaceId } = demo;
  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const insider = createRpcClient({ url, apiKey: closed.insiderKey });
  for (const role of roles) {
    const { secret } = await admin.apiKeys.create.mutate({ wId: workspaceId, name: role, role });
    const { skill } = await admin.skills.create.mutate({
      wId: workspaceId,
      name: `own-${role}`,
      agentFacingDescription: "x",
    });
    // An agent that has a skill of the closed space.
    const { agentConfiguration } = await insider.agents.create.mutate({
      wId: workspaceId,
      name: "x",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      skillIds: [closed.things.skillId],
    });
    const { conversation } = await createRpcClient({
      url,
      apiKey: secret,
    }).conversations.create.mutate({
      wId: workspaceId,
      message: { content: "x", mentions: [] },
    });
    const own = {
      cId: conversation.sId,
      skillId: skill.sId,
      agentId: agentConfiguration.sId,
      functionId: closed.functionId,
    };
    outsiders.set(role, { key: secret, own });
  }
});

test.for(all.filter(([name]) => name in naming))(
  "%s: what is in a space that is closed to the key is what is not there",
  async ([name, endpoint]) => {
    const before = await closed.read();
    for (const role of rolesOf(endpoint)) {
      const { key, own } = outsiders.get(role)!;
      const inputs = naming[name]!(closed.things, own);
      const others = naming[name]!(unknownThings, own);
      for (const [index, input] of inputs.entries()) {
        const answer = await ask(name, input, key);
        const unknown = await ask(name, others[index]!, key);
        expect([role, comparable(answer, closed.things)]).toEqual([
          role,
          comparable(unknown, unknownThings),
        ]);
        // No call is refused for its form before it comes to what it names; who uploads needs an address
        // that is signed.
        if (name === "files.upload") continue;
        expect(answer.text).not.toMatch(/app_auth_error|"Invalid (?!request body: actionId)/);
      }
    }
    expect(await closed.read()).toBe(before);
  },
);

test.for(all.filter(([name]) => name in telling))(
  "%s: tells nothing of a space that is closed to the key",
  async ([name, endpoint]) => {
    for (const role of rolesOf(endpoint)) {
      const { key, own } = outsiders.get(role)!;
      for (const input of telling[name]!(own)) {
        const { text, status } = await ask(name, input, key);
        // Another role's way to ask is refused, and tells nothing either.
        expect([200, 403]).toContain(status);
        expect([role, closed.secrets.filter((secret) => text.includes(secret))]).toEqual([
          role,
          [],
        ]);
      }
    }
  },
);
