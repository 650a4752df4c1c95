import { createGuard } from "@parley/guarded-fetch";
import { startLoopback } from "@parley/guarded-fetch/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  machine,
  redirectUrl,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from "../../testing/authorization-server.ts";
import { createMcpConnections } from "../connections.ts";
import { hasFailed } from "./contract.ts";
import { discoverAuthorizationServer } from "./discover.ts";

let real: TestAuthorizationServer;

const options = () => ({ timeoutMs: 10_000, signal: new AbortController().signal });

/** A server that is its own authorization server, with these endpoints. */
const startMetadata = (endpoints: (origin: string) => object) =>
  startLoopback((request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    const isMetadata = request.url === "/.well-known/oauth-authorization-server";
    const metadata = {
      issuer: origin,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...endpoints(origin),
    };
    response.writeHead(isMetadata ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isMetadata ? metadata : {}));
  });

beforeAll(async () => {
  real = await startAuthorizationServer();
});

afterAll(() => real[Symbol.asyncDispose]());

it.each([true, false])(
  "refuses metadata that sends users to another site, which names an issuer: %s",
  async (names) => {
    const issuer = { token_endpoint: "", authorization_endpoint: `${real.origin}/auth` };
    await using mixed = await startMetadata((origin) => ({
      ...issuer,
      token_endpoint: `${origin}/token`,
      authorization_response_iss_parameter_supported: names,
    }));
    const own = createGuard({ allowedHosts: [mixed.host, real.host] });
    const found = await discoverAuthorizationServer(own, `${mixed.origin}/mcp`, options());
    expect(found).toMatchObject({ type: "failed", code: "rejected" });
    expect(found).toHaveProperty("message", expect.stringContaining(real.host));
  },
);

it("refuses metadata of another issuer, whose redirects would pass for its own", async () => {
  await using mixed = await startMetadata((origin) => ({
    issuer: real.origin,
    authorization_endpoint: `${origin}/auth`,
    token_endpoint: `${origin}/token`,
  }));
  const own = createGuard({ allowedHosts: [mixed.host, real.host] });
  const found = await discoverAuthorizationServer(own, `${mixed.origin}/mcp`, options());
  expect(found).toMatchObject({ type: "failed", code: "bad_answer" });
});

it("takes a page of another site that names the same token endpoint", async () => {
  await using mixed = await startMetadata(() => ({
    token_endpoint: `${real.origin}/token`,
    authorization_endpoint: `${real.origin}/auth`,
  }));
  const own = createGuard({ allowedHosts: [mixed.host, real.host] });
  const found = await discoverAuthorizationServer(own, `${mixed.origin}/mcp`, options());
  expect(found).toMatchObject({ endpoints: { token: `${real.origin}/token` } });
});

it.each(["token", "registration", "revocation"])(
  "refuses metadata whose %s endpoint is at another site",
  async (name) => {
    await using mixed = await startMetadata((origin) => ({
      authorization_endpoint: `${origin}/auth`,
      token_endpoint: `${origin}/token`,
      [`${name}_endpoint`]: `${real.origin}/${name}`,
    }));
    const own = createGuard({ allowedHosts: [mixed.host, real.host] });
    const url = `${mixed.origin}/mcp`;
    const found = await discoverAuthorizationServer(own, url, options());
    expect(found).toMatchObject({ type: "failed", code: "rejected" });
    const pair = `${mixed.host}=${real.host}`;
    expect(found).toHaveProperty("message", expect.stringContaining(pair));
    const endpointHosts = [pair];
    const allowed = await discoverAuthorizationServer(own, url, { ...options(), endpointHosts });
    expect(allowed).toMatchObject({ endpoints: { [name]: `${real.origin}/${name}` } });
  },
);

it("refuses an endpoint that the site of the page does not name", async () => {
  await using mixed = await startMetadata(() => ({
    token_endpoint: `${real.origin}/token`,
    authorization_endpoint: `${real.origin}/auth`,
    registration_endpoint: "https://other.example/register",
  }));
  const own = createGuard({ allowedHosts: [mixed.host, real.host] });
  const found = await discoverAuthorizationServer(own, `${mixed.origin}/mcp`, options());
  expect(found).toHaveProperty("message", expect.stringContaining("other.example"));
});

it("takes Google's metadata", async () => {
  await using google = await startMetadata((issuer) => ({
    issuer,
    authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
    device_authorization_endpoint: "https://oauth2.googleapis.com/device/code",
    token_endpoint: "https://oauth2.googleapis.com/token",
    userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
    revocation_endpoint: "https://oauth2.googleapis.com/revoke",
    jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
    response_types_supported: ["code", "token", "id_token", "none"],
    response_modes_supported: ["query", "fragment", "form_post"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid", "email", "profile"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    code_challenge_methods_supported: ["plain", "S256"],
    grant_types_supported: ["authorization_code", "refresh_token"],
  }));
  const [, port] = google.host.split(":");
  const own = createGuard({
    allowedHosts: ["accounts.google.com"],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const url = `http://accounts.google.com:${port}/mcp`;
  const found = await discoverAuthorizationServer(own, url, options());
  expect(found).toMatchObject({
    endpoints: {
      token: "https://oauth2.googleapis.com/token",
      revocation: "https://oauth2.googleapis.com/revoke",
    },
  });
});

describe("what a 401 names", () => {
  /** A server that refuses everybody, with this challenge. */
  const startRefusing = (challengeOf: (origin: string) => string) =>
    startLoopback((request, response) => {
      const origin = `http://${request.headers.host ?? ""}`;
      response.setHeader("content-type", "application/json");
      if (request.url === "/mcp") {
        response.writeHead(401, { "www-authenticate": challengeOf(origin) }).end("{}");
      } else if (request.url === "/described-here") {
        const resource = `${origin}/mcp`;
        response.end(JSON.stringify({ resource, authorization_servers: [real.origin] }));
      } else response.writeHead(404).end("{}");
    });
  const connect = (host: string) =>
    createMcpConnections({ allowedHosts: [host, real.host], name: "parley", version: "1.0.0" });

  it("is where the metadata is read, and the scope that is asked for", async () => {
    await using server = await startRefusing(
      (origin) => `Bearer resource_metadata="${origin}/described-here", scope="read write"`,
    );
    const connections = connect(server.host);
    const introduction = { name: "Parley", redirectUrl };
    const { authorization } = connections;
    const party = await authorization.prepare(`${server.origin}/mcp`, {
      ...options(),
      client: machine,
      introduction,
    });
    expect(party).toMatchObject({ server: { issuer: real.origin, scopes: ["read", "write"] } });
    if (hasFailed(party)) throw new Error(party.message);
    const started = await authorization.start(party, { redirectUrl, state: "st" });
    if (hasFailed(started)) throw new Error(started.message);
    expect(new URL(started.authorizationUrl).searchParams.get("scope")).toBe("read write");
    await connections.close();
  });

  it("is refused if it is on a private host", async () => {
    let asked = 0;
    await using inside = await startLoopback((_request, response) => {
      asked++;
      response.end("{}");
    });
    await using server = await startRefusing(
      () => `Bearer resource_metadata="${inside.origin}/metadata"`,
    );
    const connections = connect(server.host);
    const client = { clientId: "machine", clientSecret: "secret" };
    const token = await connections.requestToken(
      { url: `${server.origin}/mcp` },
      client,
      options(),
    );
    expect(token).toMatchObject({ type: "failed", code: "refused_address" });
    expect(asked).toBe(0);
    await connections.close();
  });
});

describe("servers of MCP 2025-03-26", () => {
  it("have the default endpoints at their origin if they describe nothing", async () => {
    await using server = await startLoopback((_request, response) => {
      response.writeHead(404).end();
    });
    const own = createGuard({ allowedHosts: [server.host] });
    const found = await discoverAuthorizationServer(own, `${server.origin}/v1/mcp`, options());
    expect(found).toMatchObject({
      issuer: server.origin,
      resource: `${server.origin}/v1/mcp`,
      endpoints: {
        authorization: `${server.origin}/authorize`,
        token: `${server.origin}/token`,
        registration: `${server.origin}/register`,
      },
      hasPkce: true,
    });
  });

  it("are found by the metadata of their origin, whatever their path", async () => {
    await using server = await startMetadata((origin) => ({
      authorization_endpoint: `${origin}/page`,
      token_endpoint: `${origin}/tokens`,
    }));
    const own = createGuard({ allowedHosts: [server.host] });
    const found = await discoverAuthorizationServer(own, `${server.origin}/v1/mcp`, options());
    expect(found).toMatchObject({ endpoints: { token: `${server.origin}/tokens` } });
  });

  it("are not those that name an authorization server which describes nothing", async () => {
    await using server = await startLoopback((request, response) => {
      const origin = `http://${request.headers.host ?? ""}`;
      const isMetadata = request.url === "/.well-known/oauth-protected-resource/mcp";
      response.writeHead(isMetadata ? 200 : 404, { "content-type": "application/json" });
      const resource = { resource: `${origin}/mcp`, authorization_servers: [origin] };
      response.end(JSON.stringify(isMetadata ? resource : {}));
    });
    const own = createGuard({ allowedHosts: [server.host] });
    const found = await discoverAuthorizationServer(own, `${server.origin}/mcp`, options());
    expect(found).toMatchObject({ type: "failed", code: "bad_answer" });
  });
});
