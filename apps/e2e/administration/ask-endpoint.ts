import { type Endpoint, type EndpointName, endpoints } from "@parley/schema";
import { type Answer, send } from "../request.ts";
import type { Server } from "../server.ts";
import { toolServer } from "./call-members.ts";
import type { Things } from "./closed-space.ts";

/** Returns a function that calls an operation over HTTP, the way that its kind is called. */
export function createAsk(server: () => Server) {
  return async (name: EndpointName, given: object, key: string): Promise<Answer> => {
    const endpoint: Endpoint = endpoints[name];
    const { workspaceId } = server().demo;
    const isOfWorkspace = "wId" in endpoint.params.shape || "wId" in { ...endpoint.query?.shape };
    const wId = isOfWorkspace ? { wId: workspaceId } : {};
    const input: Record<string, unknown> = { ...wId, ...given };
    if ("server" in input) input["server"] = toolServer;
    const headers = { "x-request-id": "same" };
    if (endpoint.kind === "json") {
      const isChange = endpoint.method !== "GET";
      const query = `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
      const path = `/rpc/${name}${isChange ? "" : query}`;
      return send(server(), { path, key, headers, ...(isChange && { json: { json: input } }) });
    }
    const path = endpoint.path
      .replace(
        endpoint.kind === "stream" ? "/api/" : "",
        endpoint.kind === "stream" ? "/api/sse/" : "",
      )
      .replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(input[parameter]));
    if (endpoint.kind === "stream" || endpoint.kind === "download") {
      const asked = Object.keys({ ...endpoint.query?.shape })
        .filter((member) => input[member] !== undefined)
        .map((member) => [member, String(input[member])]);
      const query = asked.length === 0 ? "" : `?${new URLSearchParams(asked).toString()}`;
      const body = endpoint.method === "POST" ? { json: input } : {};
      return send(server(), { path: path + query, key, headers, ...body });
    }
    const form = new FormData();
    if (endpoint.kind === "upload") form.append("file", new File(["POISONED"], "x.txt"));
    else {
      const document = `---\nname: ${String(input["name"])}\ndescription: POISONED\n---\nPOISONED`;
      form.append("files", new Blob([document]), `${String(input["name"])}/SKILL.md`);
      form.append("onConflict", String(input["onConflict"]));
    }
    const response = await fetch(server().url + path, {
      method: "POST",
      body: form,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** An answer without what differs from call to call, whatever it is about. */
export function comparable({ status, text }: Answer, things: Things): string {
  let bytes = text;
  for (const [thing, id] of Object.entries(things)) bytes = bytes.replaceAll(id, `(${thing})`);
  // What an import makes has ids of its own, or is a version of its own.
  const made = /skl_\w{10}|"id":\d+|"version":\d+,"versionCreatedAt":"[^"]*"/g;
  return `${status} ${bytes.replaceAll(made, "(made)")}`;
}
