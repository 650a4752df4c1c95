import { CLIENT_DOCUMENT_PATH } from "@parley/core";
import { describe, expect, it } from "vitest";
import { expectError, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { shareAccounts, startAccountServer } from "./account-server.ts";
import { startMixUpServer } from "./mix-up-server.ts";
import { createPersonalUsers } from "./personal-users.ts";
import { createShopAgents } from "./shop-agent.ts";

const publicUrl = "https://parley.example.com/base";
const documentUrl = publicUrl + CLIENT_DOCUMENT_PATH;
const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1", PARLEY_PUBLIC_URL: publicUrl });
const inside = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });

const callback = `${publicUrl}/oauth/callback/document`;

/** The URL behind the proxy that the public one leads to. */
const behindProxy = (url: string | URL): string =>
  String(url).replace(publicUrl, () => server().url);
/** Opens where a browser came back to, and sends the form of the page, whether or not it was shown. */
const comeBack = async (url: URL): Promise<{ status: number; text: string }[]> => {
  const back = new URL(behindProxy(url));
  const form = { method: "POST", body: back.searchParams };
  const answers = [await fetch(back), await fetch(back.origin + back.pathname, form)];
  return Promise.all(answers.map(async (one) => ({ status: one.status, text: await one.text() })));
};
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
      redirect_uris: [callback],
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
    expect(back.href).toContain(`${callback}?`);
    const elsewhere = String(back).replace("/callback/document?", "/callback?");
    const refused = {
      status: 400,
      text: expect.stringContaining("is unknown, already used or expired") as string,
    };
    expect(await comeBack(new URL(elsewhere))).toMatchObject([refused, refused]);
    expect(await users.confirm(new URL(behindProxy(back)))).toContain("is allowed");
    const answer = await users.answer(ada, await users.ask(ada, agentId));
    expect(answer.content).toContain("You are ada");
  });
});

it("registers if nobody outside can read the document", async () => {
  await using accounts = await startAccountServer({ fetchDocument });
  const { connection } = await createPersonalUsers(inside, () => accounts).prepare();
  expect(connection.oauth?.clientId).toMatch(/^[\w-]+$/);
});

describe("an authorization server that takes documents and names itself in no redirect", () => {
  const accounts = shareAccounts({ namesIssuer: false, fetchDocument });
  const users = createPersonalUsers(server, accounts);

  it("registers Parley, and sends users to the address of registered clients", async () => {
    const { connection, toolId } = await users.prepare();
    expect(connection.oauth?.clientId).toMatch(/^[\w-]+$/);
    const back = await users.send(await users.create("ada"), { toolId, login: "ada" });
    expect(back.href).toContain(`${publicUrl}/oauth/callback?`);
    expect(await users.confirm(new URL(behindProxy(back)))).toContain("is allowed");
  });
});

it("asks for a client if documents are taken, no issuer is named and nobody can register", async () => {
  const options = { namesIssuer: false, registers: false, fetchDocument };
  await using accounts = await startAccountServer(options);
  const prepared = createPersonalUsers(server, () => accounts).prepare();
  await expect(prepared).rejects.toThrow("registers no clients");
});

describe.each([
  ["names itself in no redirect", false, "iss: is missing", "iss: is missing"],
  ["names itself", true, "Let agents use", "The code is of another authorization server"],
])("an honest authorization server that takes documents and %s", (_name, namesIssuer, ...said) => {
  const accounts = shareAccounts({ namesIssuer, fetchDocument });
  const users = createPersonalUsers(server, accounts);
  const agents = createShopAgents(server);

  const sendTo = async (url: string, clientId: unknown): Promise<URL> => {
    const oauth = { grant: "authorization_code" } as const;
    const settings = { name: `mixed-${namesIssuer}`, defaultStake: "never_ask", oauth } as const;
    const { connection, tool } = await agents.register({ url }, settings);
    expect(connection.oauth?.clientId).toEqual(clientId);
    return users.send(await users.create("ada"), { toolId: tool.sId, login: "ada" });
  };

  it("gives no code to a server that leads to its page with the document", async () => {
    const claims = {
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    };
    await using attacker = await startMixUpServer(accounts(), { claims });
    const back = await sendTo(`${attacker.origin}/mcp`, documentUrl);
    expect(back.searchParams.get("code")).not.toBeNull();
    expect(back.searchParams.get("iss")).toBe(namesIssuer ? accounts().origin : null);
    const [shown, sent] = await comeBack(back);
    expect(shown?.text).toContain(said[0]);
    expect(sent?.text).toContain(said[1]);
    expect(attacker.tokenRequests).toEqual([]);
  });

  it("gives no code to one that leads there with the document in place of its client", async () => {
    const changes = { client_id: documentUrl, redirect_uri: callback };
    await using attacker = await startMixUpServer(accounts(), { changes });
    const back = await sendTo(`${attacker.origin}/mcp`, expect.stringMatching(/^[\w-]+$/));
    expect(back.href).toContain(`${callback}?`);
    const refused = {
      status: 400,
      text: expect.stringContaining("is unknown, already used or expired") as string,
    };
    expect(await comeBack(back)).toMatchObject([refused, refused]);
    expect(attacker.tokenRequests).toEqual([]);
  });

  it("sends no user of the document to the address of registered clients", async () => {
    const changes = { client_id: documentUrl };
    await using attacker = await startMixUpServer(accounts(), { changes });
    await expect(
      sendTo(`${attacker.origin}/mcp`, expect.stringMatching(/^[\w-]+$/)),
    ).rejects.toThrow("redirect_uri");
    expect(attacker.tokenRequests).toEqual([]);
  });
});
