import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import staticFiles from "@fastify/static";
import type { FastifyInstance, FastifyRequest } from "fastify";

// The console in a browser: static files, which ask for everything through the public interface.

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

/** The build copies the files beside the code. */
const places = ["./console/", "../../../console/dist/"];

/** Paths of the interface, whose errors are for programs. */
const OF_INTERFACE = /^\/(?:api|rpc|mcp|assets|docs|oauth|pictures)(?:\/|$)/;

/** Serves the files of the console, where they were built. */
export function registerConsole(app: FastifyInstance): void {
  const root = findFiles();
  if (root === undefined) return;
  void app.register(staticFiles, {
    root,
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const isHashed = file.includes("/assets/");
      const cached = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
      void reply.headers({ "cache-control": cached, "content-security-policy": policy });
    },
  });
  // Its own router shows what the path names.
  app.addHook("onRequest", async (request, reply) => {
    if (request.is404 && isPage(request)) await reply.sendFile("index.html");
  });
}

/** Whether a browser opens a page; programs get an error for paths that there are not. */
function isPage({ method, url, headers }: FastifyRequest): boolean {
  const [path = ""] = url.split("?");
  const takesPages = headers.accept?.includes("text/html") === true;
  return method === "GET" && takesPages && !OF_INTERFACE.test(path);
}

/** Whether the files of the console were built. */
export const hasConsole = (): boolean => findFiles() !== undefined;

function findFiles(): string | undefined {
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(`${folder}index.html`));
}
