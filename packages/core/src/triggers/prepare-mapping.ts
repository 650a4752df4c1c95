import type { StoredMapping } from "@parley/db";
import { invalidRequest, type TriggerMapping } from "@parley/schema";
import type { RequestContext } from "../context.ts";
import { checkExpressions } from "../functions/check-behaviour.ts";
import { bundleSource, type CodeServices } from "../functions/programs.ts";
import { threadOptions } from "../untrusted/threads.ts";

interface Given {
  readonly mapping?: TriggerMapping | null | undefined;
  readonly keyExpression?: string | null | undefined;
}

/**
 * The mapping of a trigger as it is stored, if there is one. Throws `invalid_request_error` for an expression or code that is
 * unusable. Waits for threads and processes: not for a transaction.
 */
export async function prepareMapping(
  context: RequestContext & CodeServices,
  { mapping, keyExpression }: Given,
): Promise<{ readonly mapping?: StoredMapping | null }> {
  const { threads, signal } = context;
  const options = { ...threadOptions(context), signal };
  const expressions = {
    keyExpression,
    ...(mapping?.type === "jsonata" && {
      "mapping.filter": mapping.filter,
      "mapping.message": mapping.message,
    }),
  };
  const placed = Object.entries(expressions).flatMap(([path, expression]) =>
    typeof expression === "string" ? [{ path, expression }] : [],
  );
  const [first] = placed;
  if (first !== undefined) {
    const issues = await checkExpressions(threads, placed, { ...options, path: first.path });
    if (issues.length > 0) throw invalidRequest("body", issues);
  }
  if (mapping === undefined) return {};
  if (mapping?.type !== "javascript") return { mapping };
  const path = "mapping.source";
  const bundled = await bundleSource(context, mapping.source, { ...options, path });
  if ("issues" in bundled) throw invalidRequest("body", bundled.issues);
  return { mapping: { ...mapping, bundle: bundled.bundle } };
}
