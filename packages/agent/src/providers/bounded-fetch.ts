// Services that imitate others count tokens as they like, and the AI SDK refuses the whole chunk for a count that
// is not a number: with it, the finish reason, and so the complete answer, would be lost.

const COUNT = /tokens?$|TokenCount$/i;

/**
 * Passes on Server-Sent Events; in their JSON, counts of tokens that are not numbers become 0, which is "not counted".
 * Calls `onUnreadable` for those that are given.
 */
function readableUsage(onUnreadable: () => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    transform: (bytes, controller) => {
      const text = decoder.decode(bytes, { stream: true });
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (end > 0) {
        controller.enqueue(encoder.encode(repairLines(rest + text.slice(0, end), onUnreadable)));
        rest = "";
      }
      rest += text.slice(end);
    },
    flush: (controller) => {
      rest += decoder.decode();
      if (rest !== "") controller.enqueue(encoder.encode(repairLines(rest, onUnreadable)));
    },
  });
}

function repairLines(lines: string, onUnreadable: () => void): string {
  if (!lines.includes('"usage')) return lines;
  return lines.replaceAll(/^(data: ?)(\{[^\r\n]*)/gm, (line, field: string, json: string) => {
    const repaired = json.includes('"usage') ? repairJson(json, onUnreadable) : undefined;
    return repaired === undefined ? line : field + repaired;
  });
}

/** The JSON with readable counts; undefined if it needs no change. */
function repairJson(json: string, onUnreadable: () => void): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The AI SDK reports it.
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const before = JSON.stringify(value);
  // Responses have it in `response`, and Anthropic's first event in `message`.
  for (const holder of [value, value.response, value.message].filter(isObject)) {
    for (const usage of [holder.usage, holder.usageMetadata]) {
      if (isObject(usage)) repairCounts(usage, onUnreadable);
      else if (isGiven(usage)) onUnreadable();
    }
    if (isGiven(holder.usage) && !isObject(holder.usage)) holder.usage = noUsage();
    if (!isObject(holder.usageMetadata)) delete holder.usageMetadata;
  }
  const after = JSON.stringify(value);
  return after === before ? undefined : after;
}

const noUsage = () => ({ input_tokens: 0, output_tokens: 0 });

function repairCounts(usage: Record<string, unknown>, onUnreadable: () => void): void {
  for (const [name, value] of Object.entries(usage)) {
    if (COUNT.test(name) && typeof value !== "number") {
      if (isGiven(value)) onUnreadable();
      usage[name] = 0;
    } else if (isObject(value)) repairCounts(value, onUnreadable);
    else if (/details$/i.test(name) && !Array.isArray(value)) delete usage[name];
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Bytes of a response, frames included; a longer one is aborted. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Bytes of an error response. */
const MAX_ERROR_BYTES = 256 * 1024;

/** What is told of requests and their responses. */
export interface FetchListener {
  /** Called for counts of tokens that are not numbers. */
  readonly onUnreadableUsage: () => void;
  /** Called with each body that is sent. */
  readonly onBody?: ((body: string) => void) | undefined;
}

/**
 * Creates a fetch with a bound on the response, so that none can fill the memory. Redirects are refused: they
 * would send the credential elsewhere. In streams, unreadable counts of tokens become 0, which is told.
 */
export const createBoundedFetch =
  ({ onUnreadableUsage, onBody }: FetchListener): typeof fetch =>
  async (input, init) => {
    const sending = fetch(input, { ...init, redirect: "error" });
    // Bodies of steps are JSON.
    if (typeof init?.body === "string") onBody?.(init.body);
    const response = await sending;
    if (response.body === null) return response;
    let left = response.ok ? MAX_RESPONSE_BYTES : MAX_ERROR_BYTES;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          left -= chunk.byteLength;
          if (left < 0) controller.error(new Error("The provider's answer is too long"));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
    const body = isStream ? bounded.pipeThrough(readableUsage(onUnreadableUsage)) : bounded;
    return new Response(body, { status, statusText, headers });
  };
