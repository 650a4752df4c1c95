import type { FastifyInstance } from "fastify";
import { CachedResponse } from "../response-cache/response-cache.ts";
import { sendCached } from "../response-cache/send-cached.ts";
import type { ApiServices } from "../services.ts";
import { registerConversationPage } from "./conversation-page.ts";
import { createDocument } from "./document.ts";
import { registerPage } from "./reference-page.ts";
import { picturePaths } from "@parley/core";

const svg = (shapes: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="128" height="128">${shapes}</svg>\n`;

const pictures = {
  agent: svg(
    '<rect width="32" height="32" rx="6" fill="#4b5fd1"/>' +
      '<path d="M8 9h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 4v-4H8a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2z" fill="#fff"/>' +
      '<circle cx="12" cy="15.5" r="2" fill="#4b5fd1"/><circle cx="20" cy="15.5" r="2" fill="#4b5fd1"/>',
  ),
  user: svg(
    '<rect width="32" height="32" rx="6" fill="#7a8190"/>' +
      '<circle cx="16" cy="12" r="5" fill="#fff"/><path d="M6 27a10 8 0 0 1 20 0z" fill="#fff"/>',
  ),
} satisfies Record<keyof typeof picturePaths, string>;

/** Serves the default pictures of agents and users. They never change: a new one gets a new path. */
export function registerPictures(app: FastifyInstance): void {
  for (const [whose, path] of Object.entries(picturePaths)) {
    const picture = pictures[whose as keyof typeof picturePaths];
    app.get(path, {
      exposeHeadRoute: true,
      handler: async (_request, reply) =>
        reply
          // Pages of other origins may show them.
          .header("cross-origin-resource-policy", "cross-origin")
          .header("Cache-Control", "public, max-age=31536000, immutable")
          .type("image/svg+xml")
          .send(picture),
    });
  }
}

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
