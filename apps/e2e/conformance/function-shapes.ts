import type { Shape } from "../shape.ts";
import { invocation } from "./wire-shapes.ts";

const page = { hasMore: "bool", lastValue: "string?" } satisfies Shape;

/** A page of invocations. */
export const invocationPage: Shape = {
  invocations: [invocation],
  ...page,
};

/** A page of the functions that can be invoked. */
export const sandboxFunctionPage: Shape = {
  sandboxFunctions: [
    {
      sId: "string",
      slug: "string",
      description: "string",
      version: "int",
      inputSchema: "object?",
      outputSchema: "object?",
      timeoutMs: "int",
      maxOutputBytes: "int",
      maxLogLines: "int",
      maxConcurrent: "int",
      retryable: "bool",
      requiresApproval: "bool",
      createdAt: "ms",
      updatedAt: "ms",
    },
  ],
  ...page,
};
