import { type Endpoint, endpoints, isAdministration } from "@parley/schema";
import { beforeAll, describe, expect, test } from "vitest";
import { type Contract, type Operation, readContract } from "../openapi/contract.ts";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { describeMutations } from "./mutations.ts";
import { describeQueries } from "./queries.ts";

// The administration over REST: the same endpoint table, as documented.

const all = Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) =>
  endpoint.kind === "json" && isAdministration(endpoint) ? [{ name, endpoint }] : [],
);

describe("a server", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  const mutations = describeMutations(server, calls);
  const queries = describeQueries(server, calls);
  let contract: Contract;
  beforeAll(async () => {
    contract = await readContract(server());
  });

  const find = (name: string): Operation => {
    const found = contract.operations.find(({ operationId }) => operationId === name);
    if (found === undefined) throw new Error(`${name} is not documented`);
    return found;
  };

  /** The request of an operation over REST: its path has the members that it names. */
  const requestOf = ({ method, path: template, requestBody }: Operation, input: object) => {
    const left = new Map(Object.entries(input));
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(left.get(name));
      left.delete(name);
      return encodeURIComponent(value);
    });
    if (requestBody !== undefined) return { method, path, json: Object.fromEntries(left) };
    const query = new URLSearchParams([...left].map(([name, value]) => [name, String(value)]));
    return { method, path: query.size === 0 ? path : `${path}?${query}` };
  };

  test.for(all)("$name is answered over REST as documented", async ({ name }) => {
    const { demo } = server();
    const operation = find(name);
    expect(operation.tags).toEqual(["administration"]);
    const doable = await (mutations[name] ?? queries[name])?.();
    if (doable === undefined) throw new Error(`Nothing calls ${name}`);
    const request = requestOf(operation, doable.input);
    const key = doable.asOperator ? demo.operatorKey : demo.adminKey;
    const answer = await send(server(), { ...request, key });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(contract.findFaults(operation, answer)).toEqual([]);
  });

  test.for(all)("$name over REST refuses what it does not know", async ({ name, endpoint }) => {
    if (endpoint.query === undefined && endpoint.body === undefined) return;
    const { demo } = server();
    const path = endpoint.path.replaceAll(/\{\w+\}/g, demo.workspaceId);
    const isQuery = endpoint.body === undefined;
    const answer = await send(server(), {
      method: endpoint.method,
      path: isQuery ? `${path}?colour=red` : path,
      key: demo.operatorKey,
      ...(!isQuery && { json: { colour: "red" } }),
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("colour: unknown field");
    expect(contract.findFaults(find(name), answer)).toEqual([]);
  });
});
