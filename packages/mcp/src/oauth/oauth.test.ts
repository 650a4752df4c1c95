import { createGuard, type Guard } from "@parley/guarded-fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  machine,
  redirectUrl,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from "../../testing/authorization-server.ts";
import { startLoopback } from "@parley/guarded-fetch/testing";
import { type AuthorizationServer, hasFailed, type OAuthFailure } from "./contract.ts";
import { discoverAuthorizationServer } from "./discover.ts";
import { registerClient, revokeToken } from "./personal-authorization.ts";
import {
  exchangeCode,
  refreshTokens,
  requestClientCredentials,
  startAuthorization,
} from "./tokens.ts";

let real: TestAuthorizationServer;
let guard: Guard;
let server: AuthorizationServer;

const options = () => ({ timeoutMs: 10_000, signal: new AbortController().signal });

/** The answer of a step that must not fail. */
function expectAnswer<T extends object>(answer: T | OAuthFailure): T {
  if (hasFailed(answer)) throw new Error(answer.message);
  return answer;
}

beforeAll(async () => {
  real = await startAuthorizationServer();
  guard = createGuard({ allowedHosts: [real.host] });
  server = expectAnswer(await discoverAuthorizationServer(guard, real.mcpUrl, options()));
});

afterAll(() => real[Symbol.asyncDispose]());

describe("authorization at a real server", () => {
  it("finds the server that the resource names, and its endpoints", () => {
    expect(server).toMatchObject({
      issuer: real.origin,
      resource: real.mcpUrl,
      scopes: ["tools:call"],
      endpoints: {
        token: `${real.origin}/token`,
        authorization: `${real.origin}/auth`,
        registration: `${real.origin}/reg`,
        revocation: `${real.origin}/token/revocation`,
      },
      hasPkce: true,
      namesIssuer: true,
      takesClientMetadataUrls: false,
    });
  });

  it("takes a server that describes no resource as its own authorization server", async () => {
    await using older = await startAuthorizationServer({ describes: false });
    const own = createGuard({ allowedHosts: [older.host] });
    const found = await discoverAuthorizationServer(own, older.mcpUrl, options());
    expect(found).toMatchObject({ issuer: older.origin, resource: older.mcpUrl });
  });

  it("works with a server of MCP 2025-03-26 that describes nothing", async () => {
    await using old = await startAuthorizationServer({ isOld: true });
    const own = createGuard({ allowedHosts: [old.host] });
    const found = expectAnswer(await discoverAuthorizationServer(own, old.mcpUrl, options()));
    const introduction = { name: "Parley", redirectUrl, scope: "tools:call" };
    const client = expectAnswer(await registerClient(own, found, { ...options(), introduction }));
    const party = { server: found, client };
    const request = { redirectUrl, state: "st", scope: "tools:call" };
    const started = expectAnswer(await startAuthorization(found, client, request));
    const back = (await old.approve(started.authorizationUrl)).searchParams;
    const { codeVerifier } = started;
    const given = { code: back.get("code") ?? "", issuer: back.get("iss") ?? "" };
    const tokens = expectAnswer(
      await exchangeCode(own, party, { ...options(), ...given, codeVerifier, redirectUrl }),
    );
    const { refreshToken = "" } = tokens;
    expectAnswer(await refreshTokens(own, party, { ...options(), refreshToken }));
    expect(tokens).toMatchObject({ tokenType: "Bearer" });
  });

  it("registers, asks somebody, exchanges the code, refreshes and revokes", async () => {
    const introduction = { name: "Parley", redirectUrl, scope: "tools:call offline_access" };
    const client = expectAnswer(
      await registerClient(guard, server, { ...options(), introduction }),
    );
    const party = { server, client };
    const started = expectAnswer(
      await startAuthorization(server, client, { redirectUrl, state: "st", scope: "tools:call" }),
    );
    const asked = new URL(started.authorizationUrl).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      state: "st",
      resource: real.mcpUrl,
      code_challenge_method: "S256",
      response_type: "code",
    });
    const { searchParams: back } = await real.approve(started.authorizationUrl);
    expect(back.get("state")).toBe("st");
    const { codeVerifier } = started;
    const code = back.get("code") ?? "";
    const issuer = back.get("iss") ?? "";
    const exchange = (given: { issuer?: string } = {}) =>
      exchangeCode(guard, party, {
        ...options(),
        code,
        codeVerifier,
        redirectUrl,
        issuer,
        ...given,
      });
    expect(await exchange({ issuer: "https://other.example" })).toMatchObject({ code: "rejected" });
    expect(
      await exchangeCode(guard, party, { ...options(), code, codeVerifier, redirectUrl }),
    ).toMatchObject({
      code: "rejected",
    });
    const tokens = expectAnswer(await exchange());
    expect(tokens).toMatchObject({ tokenType: "Bearer", scope: "tools:call" });
    expect(tokens.expiresInMs).toBeGreaterThan(1000);

    const { refreshToken = "" } = tokens;
    const refreshed = expectAnswer(
      await refreshTokens(guard, party, { ...options(), refreshToken }),
    );
    expect(refreshed.accessToken).not.toBe(tokens.accessToken);

    const token = refreshed.refreshToken ?? "";
    const revoked = await revokeToken(guard, party, { ...options(), token, hint: "refresh_token" });
    expect(revoked).toEqual({ type: "revoked" });
    const refused = await refreshTokens(guard, party, { ...options(), refreshToken: token });
    expect(refused).toMatchObject({ type: "failed", code: "rejected", error: "invalid_grant" });
    expect(JSON.stringify(refused)).not.toContain(token);
  });

  it("refuses a code whose verifier is another", async () => {
    const introduction = { name: "Parley", redirectUrl };
    const client = expectAnswer(
      await registerClient(guard, server, { ...options(), introduction }),
    );
    const request = { redirectUrl, state: "st", scope: "tools:call" };
    const started = expectAnswer(await startAuthorization(server, client, request));
    const back = (await real.approve(started.authorizationUrl)).searchParams;
    const exchanged = await exchangeCode(
      guard,
      { server, client },
      {
        ...options(),
        code: back.get("code") ?? "",
        codeVerifier: "x".repeat(43),
        redirectUrl,
        issuer: back.get("iss") ?? "",
      },
    );
    expect(exchanged).toMatchObject({ code: "rejected", error: "invalid_grant" });
  });

  it("gets tokens of the client's own", async () => {
    const party = { server, client: machine };
    const scope = "tools:call";
    const tokens = expectAnswer(
      await requestClientCredentials(guard, party, { ...options(), scope }),
    );
    expect(tokens).toMatchObject({ tokenType: "Bearer", scope });
    const { accessToken: token } = tokens;
    const revoked = await revokeToken(guard, party, { ...options(), token, hint: "access_token" });
    expect(revoked).toEqual({ type: "revoked" });
    const wrong = { server, client: { ...machine, clientSecret: "another-secret" } };
    expect(await requestClientCredentials(guard, wrong, options())).toMatchObject({
      code: "rejected",
      error: "invalid_client",
    });
  });
});

describe("authorization at servers that misbehave", () => {
  it("refuses metadata of another resource", async () => {
    await using other = await startAuthorizationServer({ resource: "https://other.example/mcp" });
    const own = createGuard({ allowedHosts: [other.host] });
    const found = await discoverAuthorizationServer(own, other.mcpUrl, options());
    expect(found).toMatchObject({
      code: "bad_answer",
      message: expect.stringContaining("resource") as string,
    });
  });

  it("refuses addresses inside, wherever they are named", async () => {
    const inward = await discoverAuthorizationServer(guard, real.mcpUrl, {
      ...options(),
      resourceMetadataUrl: "https://169.254.169.254/metadata",
    });
    expect(inward).toMatchObject({ code: "refused_address" });
    const endpoints = { ...server.endpoints, token: "https://10.0.0.1/token" };
    const party = { server: { ...server, endpoints }, client: machine };
    expect(await requestClientCredentials(guard, party, options())).toMatchObject({
      code: "refused_address",
    });
  });

  it.each([
    [503, "{}", "unreachable"],
    [200, "not JSON", "bad_answer"],
    [200, "{}", "bad_answer"],
    [200, `"${"x".repeat(300_000)}"`, "too_large"],
  ])("fails on metadata with %s and %.9s", async (status, body, code) => {
    await using odd = await startLoopback((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    const own = createGuard({ allowedHosts: [odd.host] });
    const found = await discoverAuthorizationServer(own, `${odd.origin}/mcp`, options());
    expect(found).toMatchObject({ type: "failed", code });
  });

  it("hides what a token endpoint repeats of secrets", async () => {
    await using echoing = await startLoopback((request, response) => {
      const { authorization = "" } = request.headers;
      const pair = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
      const error = { error: "invalid_client", error_description: `wrong: ${pair}` };
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
    });
    const own = createGuard({ allowedHosts: [echoing.host] });
    const endpoints = { token: `${echoing.origin}/token` };
    const party = { server: { ...server, endpoints }, client: machine };
    const failure = await requestClientCredentials(own, party, options());
    expect(failure).toMatchObject({
      message: expect.stringContaining("machine:[hidden]") as string,
    });
  });

  it("asks nobody without PKCE, and revokes if there is an endpoint", async () => {
    const request = { redirectUrl, state: "st" };
    const plain = { ...server, hasPkce: false };
    expect(await startAuthorization(plain, machine, request)).toMatchObject({ code: "rejected" });
    const { token, authorization = "" } = server.endpoints;
    const bare = { ...server, endpoints: { token, authorization } };
    const revoke = { ...options(), token: "t", hint: "access_token" } as const;
    expect(await revokeToken(guard, { server: bare, client: machine }, revoke)).toEqual({
      type: "unsupported",
    });
    const introduction = { name: "Parley" };
    expect(await registerClient(guard, bare, { ...options(), introduction })).toMatchObject({
      code: "rejected",
    });
  });
});

describe("the document of a client", () => {
  const url = "https://parley.example.com/client.json";
  const own = { clientId: url, authenticationMethod: "none" };
  const issued = { clientId: expect.stringMatching(/^[\w-]+$/) as string };
  const secret = { authenticationMethods: ["client_secret_basic"] };
  it.each([
    ["is its id where it is taken", url, {}, own],
    ["is no id where it is not taken", url, { takesClientMetadataUrls: false }, issued],
    ["is no id where redirects name no issuer", url, { namesIssuer: false }, issued],
    ["is no id where clients need a secret", url, secret, issued],
    ["is no id over http", "http://parley.example.com/client.json", {}, issued],
    ["is no id at an address", "https://10.0.0.1/client.json", {}, issued],
    ["is no id at a private name", "https://parley.corp.internal/client.json", {}, issued],
    ["is no id at localhost", "https://localhost:3000/client.json", {}, issued],
  ])("%s", async (_name, clientMetadataUrl, given, expected) => {
    const asked = { ...server, takesClientMetadataUrls: true, ...given };
    const introduction = { name: "Parley", redirectUrl, clientMetadataUrl };
    const client = await registerClient(guard, asked, { ...options(), introduction });
    expect(client).toMatchObject(expected);
  });
});
