import cors from "@fastify/cors";
import { endpoints } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiSettings } from "./config.ts";

/** Headers of answers, beyond the harmless ones, that a page may read. */
const exposedHeaders = [
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Idempotent-Replayed",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
];
const PREFLIGHT_SECONDS = 600;

/** Lets pages of the configured origins call the server; without any, nothing is added. */
export async function registerCors(app: FastifyInstance, settings: ApiSettings): Promise<void> {
  const origins = settings.PARLEY_CORS_ORIGINS;
  if (origins.length === 0) return;
  const used = Object.values(endpoints).flatMap((one) => (one.kind === "rpc" ? [] : [one.method]));
  const methods = [...new Set(["GET", "HEAD", "POST", ...used])];
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (origins.includes("*") || origins.includes(origin));
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({
      origin: origins,
      methods,
      exposedHeaders,
      maxAge: PREFLIGHT_SECONDS,
      // Any other OPTIONS is a method like the others, and answered by the error table.
      preflight:
        isAllowed(request.headers.origin) &&
        request.headers["access-control-request-method"] !== undefined,
    }),
  });
}
