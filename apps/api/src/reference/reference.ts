import type { FastifyInstance } from "fastify";
import { CachedResponse } from "../response-cache/response-cache.ts";
import { sendCached } from "../response-cache/send-cached.ts";
import type { ApiServices } from "../services.ts";
import { registerConversationPage } from "./conversation-page.ts";
import { createDocument } from "./document.ts";
import { registerPage } from "./reference-page.ts";

/** Serves the OpenAPI document, which is created once, its page, the page of conversations, and an overview. */
export function registerReference(
  app: FastifyInstance,
  { core, demoWorkspaceId }: ApiServices,
): void {
  let document: CachedResponse | undefined;
  app.get("/openapi.json", {
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      // The URL is known once the server listens.
      const { pathname } = new URL(core.publicUrl);
      document ??= new CachedResponse(createDocument(pathname.replace(/\/$/, "")));
      return sendCached(request, reply, document);
    },
  });
  registerPage(app, demoWorkspaceId);
  registerConversationPage(app, core);
  app.get("/llms.txt", async (_request, reply) => reply.type("text/plain").send(overview));
}

/** The overview for language models. */
const overview = `# Parley

> A self-hostable server for conversational agents: conversations that are followed live, the skills
> that agents work with, and sandbox functions.

Every call except those of the server itself has the header \`Authorization: Bearer sk-…\`, with a key
of the workspace in its path, or the token of a user, \`ut-…\`. Errors are \`{"error": {"type", "message"}}\`.

- [OpenAPI document](openapi.json): every operation, with examples and errors
- [Reference](docs): the same for a browser, with a form for each call
`;
