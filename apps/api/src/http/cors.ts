import cors from "@fastify/cors";
import { endpoints } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiSettings } from "../config.ts";

/** Response headers that a page may read, besides those that CORS allows by default. */
const exposedHeaders = [
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Idempotent-Replayed",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Stream-Closed",
  "Stream-Cursor",
  "Stream-Next-Offset",
  "Stream-Up-To-Date",
  "X-Request-Id",
];
const PREFLIGHT_SECONDS = 600;

/** Lets pages of the configured origins call the server. */
export async function registerCors(app: FastifyInstance, settings: ApiSettings): Promise<void> {
  const origins = settings.PARLEY_CORS_ORIGINS;
  if (origins.length === 0) return;
  const used = Object.values(endpoints).map((one) => one.method);
  const methods = [...new Set(["GET", "HEAD", "POST", ...used])];
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (origins.includes("*") || origins.includes(origin));
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({
      origin: origins,
      methods,
      exposedHeaders,
      maxAge: PREFLIGHT_SECONDS,
      // Any other OPTIONS request is refused like other unsupported methods.
      preflight:
        isAllowed(request.headers.origin) &&
        request.headers["access-control-request-method"] !== undefined,
    }),
  });
}
