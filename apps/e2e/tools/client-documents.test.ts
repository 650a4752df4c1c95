import { CLIENT_DOCUMENT_PATH } from "@parley/core";
import { describe, expect, it } from "vitest";
import { expectError, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { shareAccounts, startAccountServer } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";

const publicUrl = "https://parley.example.com/base";
const documentUrl = publicUrl + CLIENT_DOCUMENT_PATH;
const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1", PARLEY_PUBLIC_URL: publicUrl });
const inside = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });

/** The URL behind the proxy that the public one leads to. */
const behindProxy = (url: string | URL): string =>
  String(url).replace(publicUrl, () => server().url);
const fetchDocument = async (url: string) => fetch(behindProxy(url));

describe("the document that is Parley's id at authorization servers", () => {
  it("names itself and where codes come back to, to whoever asks", async () => {
    const { status, headers, text } = await send(server(), {
      path: CLIENT_DOCUMENT_PATH,
      key: null,
    });
    expect({ status, type: headers.get("content-type") }).toEqual({
      status: 200,
      type: "application/json; charset=utf-8",
    });
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    expect(JSON.parse(text)).toEqual({
      client_id: documentUrl,
      client_name: "Parley",
      client_uri: publicUrl,
      redirect_uris: [`${publicUrl}/oauth/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
    const head = await send(server(), { method: "HEAD", path: CLIENT_DOCUMENT_PATH, key: null });
    expect(head.status).toBe(200);
    const posted = await send(server(), { method: "POST", path: CLIENT_DOCUMENT_PATH, key: null });
    expectError(posted, "method_not_supported_error");
    expect(posted.headers.get("allow")).toBe("GET");
  });

  it("is not there without a public https URL", async () => {
    expectError(await send(inside(), { path: CLIENT_DOCUMENT_PATH, key: null }), "not_found");
  });
});

describe.each([
  ["documents alone", false],
  ["documents and registration", true],
])("an authorization server that offers %s", (_name, registers) => {
  const accounts = shareAccounts({ registers, fetchDocument });
  const users = createPersonalUsers(server, accounts);

  it("reads who Parley is from the document, and lets users allow the tool", async () => {
    const { connection, toolId, agentId } = await users.prepare();
    expect(connection.oauth?.clientId).toBe(documentUrl);
    const ada = await users.create("ada");
    const back = await users.send(ada, { toolId, login: "ada" });
    expect(back.href).toContain(`${publicUrl}/oauth/callback?`);
    expect(await users.confirm(new URL(behindProxy(back)))).toContain("is allowed");
    const answer = await users.answer(ada, await users.ask(ada, agentId));
    expect(answer.content).toContain("You are ada");
  });
});

it("registers where nobody outside can read the document", async () => {
  await using accounts = await startAccountServer({ fetchDocument });
  const { connection } = await createPersonalUsers(inside, () => accounts).prepare();
  expect(connection.oauth?.clientId).toMatch(/^[\w-]+$/);
});
