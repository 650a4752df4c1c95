import { CLIENT_DOCUMENT_PATH, renderClientDocument } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../services.ts";

/**
 * Serves the document that authorization servers read Parley's name and addresses from. They have no key, and the
 * same bytes are for all.
 */
export function registerClientDocument(app: FastifyInstance, { core }: ApiServices): void {
  app.get(CLIENT_DOCUMENT_PATH, {
    exposeHeadRoute: true,
    handler: async (_request, reply) => {
      // The URL is known once the server listens.
      const document = renderClientDocument(core.publicUrl);
      if (document === undefined) throw new ParleyError("not_found", "No such route");
      return reply.header("cache-control", "public, max-age=3600").send(document);
    },
  });
}
