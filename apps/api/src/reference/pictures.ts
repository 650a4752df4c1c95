import { picturePaths } from "@parley/core";
import type { FastifyInstance } from "fastify";

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
