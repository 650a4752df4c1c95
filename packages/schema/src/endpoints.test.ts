import * as z from "zod";
import { describe, expect, it } from "vitest";
import {
  type Endpoint,
  growsStorage,
  isAboutCaller,
  isAdministration,
  isAuditedMutation,
  pathsOf,
} from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { errorTable } from "./errors/error-table.ts";
import { exampleOf } from "./examples.ts";
import * as schema from "./index.ts";

const all = Object.entries<Endpoint>(endpoints);

describe("the endpoint table", () => {
  it.each(all)("names %s as noun and verb, and says what it does", (name, endpoint) => {
    expect(name).toMatch(/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/);
    expect(endpoint.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(endpoint.tags).not.toHaveLength(0);
    for (const type of endpoint.errors) expect(errorTable).toHaveProperty(type);
  });

  it.each(all)("takes every parameter of the path of %s", (_name, endpoint) => {
    const paths = endpoint.kind === "json" ? pathsOf(endpoint) : [endpoint.path];
    const named = paths.flatMap((path) =>
      [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
    );
    expect(Object.keys(endpoint.params.shape).toSorted()).toEqual([...new Set(named)].toSorted());
    const ofWorkspace = isAboutCaller(endpoint)
      ? /^\/api\/session/
      : /^\/api\/(?:v1\/)?w\/\{wId\}\//;
    const prefix = isAdministration(endpoint) ? /^\/api\/admin\// : ofWorkspace;
    expect(endpoint.path).toMatch(prefix);
  });

  it.each(all)("gives %s no name twice among path, query and body", (_name, endpoint) => {
    const parts = [endpoint.params, endpoint.query, endpoint.body];
    const names = parts.flatMap((part) => Object.keys(part?.shape ?? {}));
    expect(new Set(names).size).toBe(names.length);
  });

  it("says of no member of an update what it is by default: it stays as it is", () => {
    const said = all.flatMap(([name, { body }]) =>
      Object.entries(/\.update/.test(name) ? (body?.shape ?? {}) : {}).map(
        ([member, { description }]) => `${name}.${member}: ${description}`,
      ),
    );
    expect(said.filter((line) => line.includes(" default"))).toEqual([
      "agents.update.pictureUrl: URL of the agent's picture; a default picture if omitted",
      "agents.update.version: Version that the change is based on; the current one by default",
    ]);
  });

  it("clears by null only what says so: elsewhere null counts as absent", () => {
    const cleared = all.flatMap(([name, { body }]) =>
      Object.entries(/\.(?:update|patch)/.test(name) ? (body?.shape ?? {}) : {})
        .filter(([, member]) => z.safeParse(member, null).data === null)
        .map(([member]) => `${name}.${member}`),
    );
    expect(cleared).toEqual([
      "agents.update.script",
      "agents.update.responseFormat",
      "workspaces.update.embedding",
      "apiKeys.update.expiresAt",
      "webSources.update.cron",
      "webSources.update.everySeconds",
      "triggers.update.mapping",
      "triggers.update.keyExpression",
      "webhooks.update.conversationIds",
      "webhooks.update.agentIds",
      "webhooks.update.functionIds",
      "alerts.update.agentId",
      "traceDestinations.update.slowMs",
    ]);
  });

  it.each(all)("gives %s a body only if it changes something", (_name, endpoint) => {
    const changes = ["POST", "PUT", "PATCH"].includes(endpoint.method);
    expect(changes || endpoint.body === undefined).toBe(true);
    expect(endpoint.kind === "stream" ? endpoint.method : "GET").toBe("GET");
  });

  it.each(all)("has examples of %s that its schemas accept", (_name, endpoint) => {
    const output = endpoint.kind === "stream" ? endpoint.event : undefined;
    const parts = { output, ...endpoint };
    const models = [parts.params, parts.body, parts.output].filter((part) => part !== undefined);
    const errors = models.map((model) => model.safeParse(exampleOf(model)).error);
    expect(errors.filter((error) => error !== undefined)).toEqual([]);
  });

  it("refuses what stores something in a full workspace, and nothing that runs on or makes room", () => {
    const isRefused = (name: keyof typeof endpoints) => growsStorage(endpoints[name]);
    const names = Object.keys(endpoints) as (keyof typeof endpoints)[];
    const creating = names.filter((name) =>
      /\.(?:create|invoke|import|upsert|edit|retry)$/.test(name),
    );
    const ofOperators = ["operatorKeys.create", "workspaces.create", "session.create"];
    expect(creating.filter((name) => !isRefused(name))).toEqual(ofOperators);
    const settling =
      /\.(?:cancel|delete|validateAction|answerQuestion|answer|heartbeat|deregister|archive|revoke)$/;
    expect(names.filter((name) => settling.test(name) && isRefused(name))).toEqual([]);
    // Memories are refused where it is known whether they grow: full-workspace.test.ts of core.
    const updates = names.filter((name) => name.endsWith(".update") && isRefused(name));
    expect(updates.toSorted()).toEqual([
      "agents.update",
      "dataSourceViews.update",
      "sandboxFunctions.update",
      "skills.update",
      "tools.update",
    ]);
  });

  it("serves each method and path once", () => {
    const routes = all.flatMap(([, endpoint]) => {
      const paths = endpoint.kind === "json" ? pathsOf(endpoint) : [endpoint.path];
      return paths.map((path) => `${endpoint.method} ${path.replaceAll(/\{\w+\}/g, "*")}`);
    });
    expect(new Set(routes).size).toBe(routes.length);
  });

  it("specifies three operations", () => {
    const specified = all.filter(([, endpoint]) => endpoint.specified).map(([name]) => name);
    expect(specified).toEqual(["conversations.create", "skills.list", "sandboxFunctions.events"]);
  });

  it.each(all)("names the subject of %s by members of its input", (_name, endpoint) => {
    const subject = isAuditedMutation(endpoint) ? endpoint.subject : [];
    const parts = [endpoint.params, endpoint.query, endpoint.body];
    const members = parts.flatMap((part) => Object.keys(part?.shape ?? {}));
    expect(subject.filter((member) => !members.includes(member))).toEqual([]);
  });

  it("names the workspace in all that is administered, but for what is the server's or the caller's", () => {
    const unnamed = all.filter(
      ([, { params, query }]) => !("wId" in params.shape) && !("wId" in { ...query?.shape }),
    );
    expect(unnamed.map(([name, { role }]) => [name, role])).toEqual([
      ["operatorKeys.create", "operator"],
      ["operatorKeys.list", "operator"],
      ["operatorKeys.rotate", "operator"],
      ["operatorKeys.revoke", "operator"],
      ["workspaces.create", "operator"],
      ["workspaces.list", "operator"],
      ["usage.getServer", "operator"],
      ["session.create", "user"],
      ["session.get", "user"],
      ["session.end", "user"],
      ["session.createCode", "user"],
      ["prices.listServer", "operator"],
      ["prices.setServer", "operator"],
      ["prices.removeServer", "operator"],
      ["budgets.listServer", "operator"],
      ["budgets.createServer", "operator"],
      ["budgets.updateServer", "operator"],
      ["budgets.deleteServer", "operator"],
      ["measures.getServer", "operator"],
      ["runs.listServer", "operator"],
      ["overview.getServer", "operator"],
    ]);
  });
});

/** The members of a schema, and of everything in it, that say nothing of themselves. */
function findUndescribed(node: z.core.$ZodType, path: string, seen = new Set<unknown>()): string[] {
  if (seen.has(node)) return [];
  seen.add(node);
  const def = (node as z.ZodType).def as unknown as Record<string, unknown>;
  if (node instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(node.shape).flatMap(([name, member]) => [
      ...(isDescribed(member) ? [] : [`${path}.${name}`]),
      ...findUndescribed(member, `${path}.${name}`, seen),
    ]);
  }
  const children = [def["innerType"], def["in"], def["out"], def["element"], def["valueType"]];
  const options = (def["options"] as unknown[] | undefined) ?? [];
  return [...children, ...options].flatMap((child) =>
    child instanceof z.core.$ZodType ? findUndescribed(child, path, seen) : [],
  );
}

function isDescribed(node: z.core.$ZodType): boolean {
  return (z.globalRegistry.get(node)?.description ?? "") !== "";
}

describe("every schema", () => {
  const schemas = Object.entries(schema).filter(([, value]) => value instanceof z.core.$ZodType);

  it.each(schemas as [string, z.core.$ZodType][])("describes every member of %s", (name, node) => {
    expect(findUndescribed(node, name)).toEqual([]);
  });

  it.each(all)("describes every member of %s", (name, endpoint) => {
    const parts = Object.entries(endpoint).filter(([, part]) => part instanceof z.core.$ZodType);
    const undescribed = parts.flatMap(([key, part]) => findUndescribed(part, `${name} ${key}`));
    expect(undescribed).toEqual([]);
  });
});
