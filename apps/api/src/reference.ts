import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import type { KeptAnswer } from "./kept-answers.ts";
import { createDocument } from "./openapi/document.ts";
import type { ApiServices } from "./requests.ts";
import { registerPage } from "./reference-page.ts";
import { sendKept } from "./send-kept.ts";

/** Serves the description of the public interface, which is made once. */
export function registerReference(app: FastifyInstance, { core }: ApiServices): void {
  let document: KeptAnswer | undefined;
  const makeDocument = (): KeptAnswer => {
    const pathPrefix = new URL(core.publicUrl).pathname.replace(/\/$/, "");
    return keep(Buffer.from(JSON.stringify(createDocument(pathPrefix))));
  };
  app.get("/openapi.json", {
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      // The address is known once the server listens.
      document ??= makeDocument();
      return sendKept(request, reply, document);
    },
  });
  registerPage(app);
  app.get("/llms.txt", async (_request, reply) => reply.type("text/plain").send(overview));
}

/** What a language model is told of the server, at the place where it looks. */
const overview = `# Parley

> A self-hostable server for conversational agents: conversations that are followed live, the skills
> that agents work with, and sandbox functions.

Every call but those of the server itself has the header \`Authorization: Bearer sk-…\`, with a key of
the workspace in its path. Errors are \`{"error": {"type", "message"}}\`.

- [OpenAPI document](openapi.json): every operation, with examples and errors
- [Reference](docs): the same for a browser, with a form for each call
`;

function keep(json: Buffer): KeptAnswer {
  const hash = createHash("sha256").update(json).digest("base64url").slice(0, 22);
  let compressed: Buffer | undefined;
  return { etag: `W/"${hash}"`, json, gzip: () => (compressed ??= gzipSync(json)) };
}
