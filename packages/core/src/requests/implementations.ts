import type { Implementations } from "../implementation.ts";
import { readRecordedRequest } from "./read-request.ts";

/** The endpoints that are implemented here. */
export const recordedRequestImplementations = {
  "messages.getRequest": readRecordedRequest,
} satisfies Implementations;
