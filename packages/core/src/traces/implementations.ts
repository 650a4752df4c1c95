import type { Implementations } from "../implementation.ts";
import { readAnswerTrace, readRunTrace } from "./read-trace.ts";

/** The endpoints that are implemented here. */
export const traceImplementations = {
  "messages.getTrace": readAnswerTrace,
  "runs.getTrace": readRunTrace,
} satisfies Implementations;
