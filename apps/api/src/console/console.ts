import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import staticFiles from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type BuildPage,
  type ConsoleBuild,
  RELOAD_PATH,
  reloadScript,
  renderBuildPage,
} from "./build-page.ts";

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

const INDEX = "index.html";

/** The build of the server copies the files beside its code. */
const places = ["./console/", "../../../console/dist/"];

/** Paths of the interface, whose errors are for programs. */
const OF_INTERFACE = /^\/(?:api|rpc|mcp|assets|docs|oauth|pictures)(?:\/|$)/;

/** Serves the files of the console, if they were built; with a build that runs, as soon as it is done. */
export function registerConsole(app: FastifyInstance, build?: ConsoleBuild): void {
  const root = build?.folder ?? findFiles();
  if (root === undefined) return;
  void app.register(staticFiles, {
    root,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const isHashed = file.includes("/assets/");
      const cached = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
      void reply.headers({ "cache-control": cached, "content-security-policy": policy });
    },
  });
  let names = build === undefined ? listFiles(root) : undefined;
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404 || !/^(?:GET|HEAD)$/.test(request.method)) return;
    const state = build?.state() ?? "done";
    if (build !== undefined && state !== "done") {
      return sendBuildPage(request, reply, renderBuildPage(state, build.startCommand));
    }
    names ??= listFiles(root);
    const name = pathOf(request).slice(1);
    // Its own router shows what a path names that is not a file.
    if (names.has(name)) await reply.sendFile(name);
    else if (name === "" || isPage(request)) await reply.sendFile(INDEX);
  });
}

/** Stands in for every page while the console is being built; its script is the one file that there is. */
async function sendBuildPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, html }: BuildPage,
): Promise<void> {
  const isScript = pathOf(request) === RELOAD_PATH;
  if (!isScript && !isPage(request)) return;
  void reply.headers({ "cache-control": "no-store", "content-security-policy": policy });
  if (isScript) await reply.type("text/javascript; charset=utf-8").send(reloadScript);
  else await reply.code(status).type("text/html; charset=utf-8").send(html);
}

/** Whether a browser opens a page; programs get an error for paths that there are not. */
function isPage(request: FastifyRequest): boolean {
  const takesPages = request.headers.accept?.includes("text/html") === true;
  return request.method === "GET" && takesPages && !OF_INTERFACE.test(pathOf(request));
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?", 1)[0] ?? "";

/** Whether the files of the console were built. */
export const hasConsole = (): boolean => findFiles() !== undefined;

function findFiles(): string | undefined {
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(path.join(folder, INDEX)));
}

/** What requests may name: the files of the folder, as paths of URLs. */
function listFiles(root: string): ReadonlySet<string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const pathIn = ({ parentPath, name }: (typeof files)[number]): string =>
    path.relative(root, path.join(parentPath, name)).replaceAll(path.sep, "/");
  return new Set(files.map(pathIn));
}
