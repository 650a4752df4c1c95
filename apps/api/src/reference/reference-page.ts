import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { etagOf, namesTag } from "../http/conditional.ts";

// The reference for a browser: Swagger UI, without other origins. URLs are relative, so that the page
// works with a path prefix.

/** The page; `workspaceId` is the workspace of its examples. */
const renderPage = (workspaceId: string | undefined) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="api/swagger-ui.css">
<link rel="stylesheet" href="api/start.css">
</head>
<body>
<div id="reference"${workspaceId === undefined ? "" : ` data-workspace="${workspaceId}"`}></div>
<script src="api/swagger-ui-bundle.js"></script>
<script type="module" src="api/start.js"></script>
</body>
</html>
`;

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

const files = [
  { name: "swagger-ui-bundle.js", type: "text/javascript; charset=utf-8" },
  { name: "swagger-ui.css", type: "text/css; charset=utf-8" },
  { name: "start.js", type: "text/javascript; charset=utf-8" },
  { name: "start.css", type: "text/css; charset=utf-8" },
];

interface Asset {
  readonly etag: string;
  readonly compressed: Buffer;
}

/** Serves /docs/api and the files of the page, each read and compressed once. */
export function registerPage(
  app: FastifyInstance,
  workspaceOfExamples: () => string | undefined,
): void {
  app.get("/docs/api", {
    exposeHeadRoute: true,
    handler: async (_request, reply) =>
      reply
        .header("content-security-policy", pagePolicy)
        .type("text/html; charset=utf-8")
        .send(renderPage(workspaceOfExamples())),
  });
  const assets = new Map<string, Promise<Asset>>();
  for (const { name, type } of files) {
    app.get(`/docs/api/${name}`, async (request, reply) => {
      const found = assets.get(name) ?? prepare(name);
      assets.set(name, found);
      const { etag, compressed } = await found;
      reply.headers({ ETag: etag, "Cache-Control": "public, max-age=0, must-revalidate" });
      if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
      // Every browser accepts gzip.
      return reply.header("Content-Encoding", "gzip").type(type).send(compressed);
    });
  }
}

async function prepare(name: string): Promise<Asset> {
  const bytes = await readFile(locate(name));
  return { etag: etagOf(bytes), compressed: gzipSync(bytes) };
}

/** The build copies the files into one folder beside the code. */
function locate(name: string): URL {
  const places = [`./swagger-ui/${name}`, `./page/${name}`];
  const found = places
    .map((place) => new URL(place, import.meta.url))
    .find((url) => existsSync(url));
  return found ?? new URL(name, import.meta.resolve("swagger-ui-dist/package.json"));
}
