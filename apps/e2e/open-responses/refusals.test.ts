import { doors, pathsOf } from "@parley/schema";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";

// What is refused before any door is reached, in the words of its clients.

describe("below /v1", () => {
  const server = shareServer();
  const send = async (method: string, path: string, key?: string) => {
    const headers = { Authorization: `Bearer ${key ?? server().demo.userKey}` };
    const response = await fetch(server().url + path, { method, headers });
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    return { status: response.status, allow: response.headers.get("allow"), error };
  };

  it.each([
    ["GET", "/v1/nothing"],
    ["GET", "/v1"],
    ["POST", "/v1/responses/resp_x/nothing?a=b"],
    ["GET", "/api/w/any/v1/nothing"],
  ])("answers %s %s as unknown", async (method, path) => {
    expect(await send(method, path)).toMatchObject({
      status: 404,
      error: { type: "not_found_error", code: "not_found", param: null, message: "No such route" },
    });
  });

  it.each([
    ["DELETE", "/v1/chat/completions", "POST"],
    ["PUT", "/v1/responses", "POST"],
    ["PATCH", "/api/w/any/v1/models", "GET"],
  ])("answers %s %s with the right method", async (method, path, allow) => {
    expect(await send(method, path)).toMatchObject({
      status: 405,
      allow,
      error: { type: "invalid_request_error", code: "method_not_supported_error", param: null },
    });
  });

  it("leaves other paths their own words", async () => {
    for (const path of ["/v1x", "/api/v1/nothing", "/api/w/any/nothing/v1"]) {
      // oxlint-disable-next-line no-await-in-loop
      const { error } = await send("GET", path);
      expect(error).toMatchObject({ type: "not_found" });
    }
  });

  it("refuses an operator's key with what would be right", async () => {
    const { operatorKey, workspaceId } = server().demo;
    const refused = await send("GET", "/v1/models", operatorKey);
    expect(refused).toMatchObject({
      status: 401,
      error: { code: "workspace_auth_error", type: "authentication_error" },
    });
    expect(refused.error["message"]).toBe(
      "The key is an operator's, which belongs to no workspace: use a key of a workspace",
    );
    const named = await send("GET", `/api/w/${workspaceId}/v1/models`, operatorKey);
    expect(named.error["message"]).toContain("use a key of the workspace in the path");
  });

  it("has clients that know these words", async () => {
    const client = new OpenAI({
      apiKey: server().demo.userKey,
      baseURL: `${server().url}/v1`,
      maxRetries: 0,
    });
    await expect(client.embeddings.create({ model: "m", input: "x" })).rejects.toMatchObject({
      status: 404,
      code: "not_found",
      type: "not_found_error",
    });
  });

  it("is where every operation with these words is", () => {
    const ofOpenAi = Object.values(doors).filter((door) => "errorsOf" in door);
    expect(ofOpenAi.length).toBeGreaterThan(0);
    for (const path of ofOpenAi.flatMap((door) => pathsOf(door))) {
      expect(path).toMatch(/^(?:\/api\/w\/\{wId\})?\/v1\//);
    }
  });
});
