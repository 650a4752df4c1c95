import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { etagOf, namesTag } from "../http/conditional.ts";
import { pagePolicy, renderHtmlPage } from "../http/html-page.ts";

const policy = [
  "default-src 'none'",
  // The search runs in WebAssembly.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

/** What stands for the path of the site in its files. */
const BASE = "/__parley__/docs";

/** The build of the server copies the files beside its code. */
const builtFolders = ["./site/", "../../../site/dist/"].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".wasm": "application/wasm",
};
const NOT_BUILT = renderHtmlPage(
  "documentation",
  `<h1>The documentation is not built</h1>
<p>A server that was started a moment ago may still be building it: reload the page. Otherwise build it with
<code>npx -y pnpm@12.21.0 build</code>. Its pages are in the folder <code>docs</code> of the sources, too.</p>
<p>The <a href="api">reference</a> describes every call, with a form to try it.</p>`,
);

interface SiteFile {
  readonly etag: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
}

/** Serves the documentation below /docs; the path of the core's URL is where browsers find the server. */
export function registerSite(
  app: FastifyInstance,
  core: Pick<Core, "publicUrl">,
  folders: readonly string[] = builtFolders,
): void {
  let folder: string | undefined;
  let names: ReadonlySet<string> = new Set();
  const files = new Map<string, Promise<SiteFile>>();
  const fileOf = async (name: string): Promise<SiteFile> => {
    // The URL is known once the server listens.
    const base = `${new URL(core.publicUrl).pathname.replace(/\/$/, "")}/docs`;
    return files.getOrInsertComputed(name, async () =>
      readSiteFile(folder ?? "", name, { names, base }),
    );
  };
  // Relative, so that it works below a path.
  app.get("/docs", { exposeHeadRoute: true }, async (_request, reply) =>
    reply.code(308).header("location", "docs/").send(),
  );
  app.get<{ Params: { "*": string } }>(
    "/docs/*",
    { exposeHeadRoute: true },
    async (request, reply) => {
      const wanted = request.params["*"];
      if (folder === undefined) {
        // It may be built while the server serves.
        folder = folders.find((one) => existsSync(path.join(one, "index.html.gz")));
        if (folder !== undefined) names = new Set(listFiles(folder));
      }
      const name = wanted === "" || wanted.endsWith("/") ? `${wanted}index.html` : wanted;
      if (isNamed(names, name)) return sendFile(request, reply, await fileOf(name));
      if (folder === undefined && wanted === "") return sendNotBuilt(reply);
      const to = redirectOf(names, wanted);
      if (to !== undefined) return reply.code(308).header("location", to).send();
      const takesPages = request.headers.accept?.includes("text/html") === true;
      if (!takesPages || !isNamed(names, "404.html")) {
        throw new ParleyError("not_found", "No such route");
      }
      return sendFile(request, reply.code(404), await fileOf("404.html"));
    },
  );
}

/** Where a path without or with a slash at its end leads to, relative to it. */
function redirectOf(names: ReadonlySet<string>, wanted: string): string | undefined {
  if (wanted === "api/") return "../api";
  const last = wanted.split("/").at(-1) ?? "";
  return last !== "" && isNamed(names, `${wanted}/index.html`) ? `${last}/` : undefined;
}

const isNamed = (names: ReadonlySet<string>, name: string): boolean =>
  names.has(name) || names.has(`${name}.gz`);

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, type, bytes, isCompressed }: SiteFile,
): Promise<FastifyReply> {
  const headers = {
    ETag: etag,
    "Cache-Control": "public, max-age=0, must-revalidate",
    "Content-Security-Policy": policy,
  };
  void reply.headers(headers);
  if (reply.statusCode === 200 && namesTag(request.headers["if-none-match"], etag)) {
    return reply.code(304).send();
  }
  // Every browser accepts gzip.
  if (isCompressed) void reply.header("Content-Encoding", "gzip");
  return reply.type(type).send(bytes);
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  void reply.header("content-security-policy", pagePolicy("'none'"));
  return reply.code(503).type("text/html; charset=utf-8").send(NOT_BUILT);
}

/** Reads a file with the path of this server in place of the placeholder; text is stored and sent compressed. */
async function readSiteFile(
  folder: string,
  name: string,
  { names, base }: { readonly names: ReadonlySet<string>; readonly base: string },
): Promise<SiteFile> {
  const type = types[path.extname(name)] ?? "application/octet-stream";
  if (names.has(name)) {
    const bytes = await readFile(path.join(folder, name));
    return { etag: etagOf(bytes), type, bytes, isCompressed: false };
  }
  const stored = await readFile(path.join(folder, `${name}.gz`));
  const text = (await promisify(gunzip)(stored)).toString().replaceAll(BASE, base);
  const bytes = await promisify(gzip)(text);
  return { etag: etagOf(bytes), type, bytes, isCompressed: true };
}

/** What requests may name: the files of the folder, as paths of URLs. */
function listFiles(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      path.relative(root, path.join(parentPath, name)).replaceAll(path.sep, "/"),
    );
}
