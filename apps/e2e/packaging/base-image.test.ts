import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { baseImageOf, resolveImage, withBaseImage } from "../../../.ci/base-image.ts";
import { root } from "../server.ts";

const digest = `sha256:${"5e".repeat(32)}`;
const dockerfile = () => readFile(path.join(root, "Dockerfile"), "utf8");

interface Registry extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly string[];
}

/** A registry that gives its manifests to bearers of the token that anyone gets from it. */
async function startRegistry({
  isOpen = false,
  given = digest,
}: { isOpen?: boolean; given?: string } = {}): Promise<Registry> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { port } = server.address() as AddressInfo;
    const url = new URL(request.url ?? "/", `http://127.0.0.1:${port}`);
    if (url.pathname === "/token") {
      response.end(JSON.stringify({ token: `for ${url.searchParams.get("scope")}` }));
      return;
    }
    const [, repository] =
      /^\/v2\/(.+)\/manifests\/26\.10\.0-bookworm-slim$/.exec(url.pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    if (!isOpen && request.headers.authorization !== `Bearer for ${scope}`) {
      const challenge = `Bearer realm="${url.origin}/token",service="images",scope="${scope}"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    const isIndex = request.headers.accept?.startsWith("application/vnd.oci.image.index.v1+json");
    const isFound = repository === "library/node" && isIndex;
    response.writeHead(isFound ? 200 : 404, { "docker-content-digest": given }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

test("the digest of the base image comes from a registry that wants a token", async () => {
  await using registry = await startRegistry();
  const image = baseImageOf(await dockerfile());
  expect(await resolveImage(registry.url, image)).toBe(`${image}@${digest}`);
  expect(registry.requests).toEqual([
    "HEAD /v2/library/node/manifests/26.10.0-bookworm-slim",
    "GET /token?service=images&scope=repository%3Alibrary%2Fnode%3Apull",
    "HEAD /v2/library/node/manifests/26.10.0-bookworm-slim",
  ]);
});

test("the digest of the base image comes from a registry without tokens", async () => {
  await using registry = await startRegistry({ isOpen: true });
  const image = baseImageOf(await dockerfile());
  expect(await resolveImage(registry.url, image)).toBe(`${image}@${digest}`);
  expect(registry.requests).toHaveLength(1);
});

test("what gives no digest is refused", async () => {
  await using registry = await startRegistry();
  await expect(resolveImage(registry.url, "other:26.10.0-bookworm-slim")).rejects.toThrow(
    "The registry answered 404 for other:26.10.0-bookworm-slim",
  );
  await using broken = await startRegistry({ given: "sha256:short" });
  await expect(resolveImage(broken.url, "node:26.10.0-bookworm-slim")).rejects.toThrow(
    "The registry gave no SHA-256 digest",
  );
});

test("the Dockerfile names the digest, and is otherwise the same", async () => {
  const text = await dockerfile();
  const pinned = withBaseImage(text, `node:1@${digest}`);
  expect(baseImageOf(pinned)).toBe(`node:1@${digest}`);
  expect(withBaseImage(pinned, baseImageOf(text))).toBe(text);
});

/** What a release says that is refused in any case: it is none of CI, and has no token. */
async function refuseRelease(...args: string[]): Promise<string> {
  // Git is all that it looks for.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  const command = [path.join(root, ".ci/release.ts"), ...args];
  const refused = promisify(execFile)(process.execPath, command, { cwd: root, env });
  const { code, stdout } = await refused.then(
    () => ({ code: 0, stdout: "" }),
    (error: { code: number; stdout: string }) => error,
  );
  expect(code).toBe(1);
  expect(stdout).toContain("a release is published from CI alone");
  return stdout;
}

test("a release without the digest of its base image is refused", async () => {
  expect(await refuseRelease()).toContain("✗ the base image has no digest: name the registry");
  await using broken = await startRegistry({ given: "" });
  expect(await refuseRelease("--registry", broken.url)).toContain("✗ the base image has no digest");
  await using registry = await startRegistry();
  expect(await refuseRelease("--registry", registry.url)).not.toContain("digest");
});
