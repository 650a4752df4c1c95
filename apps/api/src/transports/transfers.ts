import type { RequestContext, WorkspaceCaller } from "@parley/core";
import { authorizeWorkspace, type ProcedureContext } from "@parley/rpc";
import {
  type DownloadEndpoint,
  type MultipartEndpoint,
  HttpInput,
  parseInput,
  type UploadEndpoint,
} from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { namedParams } from "./endpoints-of-kind.ts";

/** The parsed input of a request, and the context of its implementation. Throws like a procedure. */
export function prepareTransfer(
  endpoint: UploadEndpoint | DownloadEndpoint,
  context: ProcedureContext,
  { params, query, body }: FastifyRequest,
): { input: unknown; authorized: RequestContext<WorkspaceCaller> } {
  const input = parseInput(
    endpoint,
    new HttpInput({
      params: namedParams(params),
      query,
      body: endpoint.kind === "download" ? body : undefined,
    }),
  );
  const { wId } = input as { wId: string };
  return { input, authorized: authorizeWorkspace(endpoint, context, wId) };
}

/** Runs a transfer and reports it as procedures are reported. */
export async function reportTransfer<T>(
  endpoint: UploadEndpoint | MultipartEndpoint | DownloadEndpoint,
  context: ProcedureContext,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let failure: unknown;
  try {
    return await work();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    context.onCall({ endpoint, durationMs: performance.now() - startedAt, error: failure });
  }
}
