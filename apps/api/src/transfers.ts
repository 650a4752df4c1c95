import type { RequestContext, WorkspaceCaller } from "@parley/core";
import { authorizeWorkspace, type ProcedureContext } from "@parley/rpc";
import {
  type BytesEndpoint,
  type FormEndpoint,
  HttpInput,
  parseInput,
  type UploadEndpoint,
} from "@parley/schema";
import type { FastifyRequest } from "fastify";

/** The parsed input of a request, and the context of what answers it. Throws like a procedure. */
export function prepareTransfer(
  endpoint: UploadEndpoint | BytesEndpoint,
  context: ProcedureContext,
  { params, query }: FastifyRequest,
): { input: unknown; authorized: RequestContext<WorkspaceCaller> } {
  const input = parseInput(endpoint, new HttpInput({ params, query, body: undefined }));
  const { wId } = input as { wId: string };
  return { input, authorized: authorizeWorkspace(endpoint, context, wId) };
}

/** Does the work of a transfer and reports it as a procedure is reported. */
export async function reportTransfer<T>(
  endpoint: UploadEndpoint | FormEndpoint | BytesEndpoint,
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
