import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { etagOf, namesTag } from "../http/conditional.ts";

// The reference for a browser: Swagger UI, without other origins. URLs are relative, so that the page
// works with a path prefix.

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
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
  { name: "start.js", type: "text/javascript; charset=utf-8", content: start },
];

interface Asset {
  readonly etag: string;
  readonly compressed: Buffer;
}

/** Serves /docs and the files of the page, each read and compressed once. */
export function registerPage(app: FastifyInstance): void {
  app.get("/docs", {
    exposeHeadRoute: true,
    handler: async (_request, reply) =>
      reply
        .header("content-security-policy", pagePolicy)
        .type("text/html; charset=utf-8")
        .send(html),
  });
  const assets = new Map<string, Promise<Asset>>();
  for (const { name, type, content } of files) {
    app.get(`/docs/${name}`, async (request, reply) => {
      const found = assets.get(name) ?? prepare(name, content);
      assets.set(name, found);
      const { etag, compressed } = await found;
      reply.headers({ ETag: etag, "Cache-Control": "public, max-age=0, must-revalidate" });
      if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
      // Every browser accepts gzip.
      return reply.header("Content-Encoding", "gzip").type(type).send(compressed);
    });
  }
}

async function prepare(name: string, content: string | undefined): Promise<Asset> {
  const bytes = content === undefined ? await readFile(locate(name)) : Buffer.from(content);
  return { etag: etagOf(bytes), compressed: gzipSync(bytes) };
}

/** The build copies the files beside the code; from source they are the package's. */
function locate(name: string): URL {
  const built = new URL(`./swagger-ui/${name}`, import.meta.url);
  return existsSync(built)
    ? built
    : new URL(name, import.meta.resolve("swagger-ui-dist/package.json"));
}
