import { type ExecutionEvent, fitsBytes, toStorableJson } from "@parley/schema";

const MAX_DEPTH = 64;

/**
 * Ends an execution with its result as JSON that can be stored: `bad_return` for what JSON cannot
 * hold, `output_too_large` for more than `maxBytes` of it.
 */
export function boundResult(result: unknown, maxBytes: number): ExecutionEvent {
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n", 1)[0] : "it threw";
    return errored("bad_return", `The result must be JSON: ${why}`);
  }
  if (json === undefined)
    return errored("bad_return", `The result must be JSON, not ${typeof result}`);
  if (!fitsBytes(json, maxBytes)) {
    return errored("output_too_large", `The result must be at most ${maxBytes} bytes of JSON`);
  }
  if (isTooDeep(json)) {
    return errored("bad_return", `The result must not be nested deeper than ${MAX_DEPTH}`);
  }
  return { type: "succeeded", result: toStorableJson(JSON.parse(json)) };
}

function errored(code: "bad_return" | "output_too_large", message: string): ExecutionEvent {
  return { type: "errored", error: { code, message } };
}

/** Checks the text instead of the value, so that no recursion is needed. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (isText) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
