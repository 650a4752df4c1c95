/** Names the base image with its digest to what packs a release. */
export const BASE_IMAGE_VARIABLE = "PARLEY_RELEASE_BASE_IMAGE";

const LINE = /^ARG BASE_IMAGE=(\S+)$/m;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const TIMEOUT_MS = 30_000;
const MAX_TOKEN_BYTES = 65_536;
/** An index of all platforms before the manifest of one. */
const accept = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** The base image that a Dockerfile names. Throws if it names none. */
export function baseImageOf(dockerfile: string): string {
  const image = LINE.exec(dockerfile)?.[1];
  if (image === undefined) throw new Error("The Dockerfile has no line ARG BASE_IMAGE=<image>");
  return image;
}

/** The Dockerfile with another base image. */
export function withBaseImage(dockerfile: string, image: string): string {
  return dockerfile.replace(LINE, () => `ARG BASE_IMAGE=${image}`);
}

/**
 * The image with the digest that its tag has in a registry, asked as the OCI distribution specification says, without
 * an account. Throws if the registry gives no digest.
 */
export async function resolveImage(registry: string, image: string): Promise<string> {
  if (!URL.canParse(registry)) throw new Error(`The registry must be a URL, not ${registry}`);
  const [, name = "", tag = "latest"] = /^([^:@]+)(?::([^:@]+))?$/.exec(image) ?? [];
  if (name === "") throw new Error(`The image must be <name>:<tag>, not ${image}`);
  const repository = name.includes("/") ? name : `library/${name}`;
  const url = new URL(`/v2/${repository}/manifests/${tag}`, registry);
  const ask = (headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "HEAD",
      headers: { accept, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  let answer = await ask();
  if (answer.status === 401) {
    const token = await fetchToken(answer.headers.get("www-authenticate") ?? "");
    answer = await ask({ authorization: `Bearer ${token}` });
  }
  if (!answer.ok) throw new Error(`The registry answered ${answer.status} for ${image}`);
  const digest = answer.headers.get("docker-content-digest") ?? "";
  if (!DIGEST.test(digest)) throw new Error(`The registry gave no SHA-256 digest for ${image}`);
  return `${image}@${digest}`;
}

async function fetchToken(challenge: string): Promise<string> {
  const { realm, ...given } = Object.fromEntries(
    Array.from(challenge.matchAll(/(\w+)="([^"]*)"/g), ([, key = "", value = ""]) => [key, value]),
  ) as Record<string, string | undefined>;
  if (!/^bearer /i.test(challenge) || realm === undefined || !URL.canParse(realm)) {
    throw new Error("The registry asks for something other than a bearer token");
  }
  const url = new URL(realm);
  for (const key of ["service", "scope"]) {
    const value = given[key];
    if (value !== undefined) url.searchParams.set(key, value);
  }
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`The registry answered ${answer.status} for a token`);
  const { token, access_token } = JSON.parse(await readText(answer)) as Record<string, unknown>;
  const found = token ?? access_token;
  if (typeof found !== "string") throw new Error("The registry gave no token");
  return found;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_TOKEN_BYTES) throw new Error("The registry's token is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
