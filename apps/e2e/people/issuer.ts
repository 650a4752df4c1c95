import http from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const AUDIENCE = "parley-test";

/** A real OpenID Connect issuer on loopback, as far as servers that accept its tokens see it. */
export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** Requests that it has received, by path. */
  readonly received: string[];
  /** Whether it leaves requests without a response. */
  silent: boolean;
  /** Signs a token for a user; members of `claims` replace the usual ones. */
  sign(claims: JWTPayload, options?: { key?: CryptoKey; algorithm?: string }): Promise<string>;
}

/** Starts an issuer with one key pair. */
export async function startIssuer(): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" }];
  const received: string[] = [];
  const issuer = { silent: false };
  const server = http.createServer((request, response) => {
    received.push(request.url ?? "");
    if (issuer.silent) return;
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys },
    };
    const document = documents[request.url ?? ""];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const now = () => Math.floor(Date.now() / 1000);
  return Object.assign(issuer, {
    url,
    received,
    sign: (
      claims: JWTPayload,
      { key = privateKey, algorithm = "ES256" }: { key?: CryptoKey; algorithm?: string } = {},
    ) =>
      new SignJWT({ iss: url, aud: AUDIENCE, iat: now(), exp: now() + 60, ...claims })
        .setProtectedHeader({ alg: algorithm, kid: "one" })
        .sign(key),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
