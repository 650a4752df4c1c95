import * as z from "zod";
import { RunIdentity } from "../activity/runs.ts";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { MessageParams } from "../params.ts";
import { Trace } from "./spans.ts";

const output = z.object({ trace: Trace.describe("The trace") });

/** Operations that show what a run spent its time on. */
export const traceEndpoints = {
  "messages.getTrace": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/conversations/{cId}/messages/{mId}/trace`,
      input: MessageParams,
    }),
    scope: "conversations:read",
    summary: "Read what an answer spent its time on: waits, attempts, model calls and tool calls",
    output,
    errors: ["workspace_not_found", "message_not_found"],
  },
  "runs.getTrace": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/runs/{runId}/trace`,
      input: RunIdentity,
    }),
    scope: "functions:invoke",
    summary: "Read what an agent turn or an invocation spent its time on",
    output,
    errors: ["workspace_not_found", "run_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
