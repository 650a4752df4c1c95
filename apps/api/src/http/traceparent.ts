const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent` (W3C Trace Context, level 1) and returns it in version 00. Undefined if it
 * is missing or malformed.
 */
export function parseTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  const [, version = "", traceId = "", parentId = "", flags = "", rest] = FORM.exec(header) ?? [];
  if (version === "" || version === "ff" || (version === "00" && rest !== undefined)) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  // Of the flags of later versions, only "sampled" is known.
  const known = version === "00" ? flags : Number.parseInt(flags, 16) & 1 ? "01" : "00";
  return `00-${traceId}-${parentId}-${known}`;
}

/** The id of the trace in a well-formed `traceparent`. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.split("-")[1];
}
