import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { FetchFault, type FetchLimits, type Guard, locationOf } from "@parley/guarded-fetch";

/** What one answer may take. */
const LIMITS = { timeoutMs: 20_000, maxBytes: 2 * 1024 * 1024, maxRequests: 2 };
const AGENT = "Parley (web sources)";
const ACCEPTED = "text/html, application/xhtml+xml, text/*;q=0.9, application/xml;q=0.8, */*;q=0.1";

/** An answer to a request for a page, or why there is none. */
export type Answer =
  | {
      readonly status: number;
      /** Where it redirects to, as the server says it. */
      readonly location: string | undefined;
      /** MIME type in lower case, without its parameters. */
      readonly type: string;
      readonly body: string;
      readonly etag: string | null;
      readonly lastModified: string | null;
    }
  | { readonly failure: string };

interface PageRequest {
  readonly url: string;
  /** What the last answer was known by: it comes again only if it has changed. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly signal: AbortSignal;
  readonly limits?: Partial<FetchLimits>;
  /** Whether a body that is a gzip file is unpacked, to at most as many bytes as an answer may have. */
  readonly unpacks?: boolean;
}

/** Requests a URL once, without following redirects. Rejects only with the reason of the signal. */
export async function requestPage(guard: Guard, request: PageRequest): Promise<Answer> {
  const { url, etag, lastModified, signal, limits, unpacks = false } = request;
  signal.throwIfAborted();
  await using session = guard.open({ ...LIMITS, ...limits, signal });
  try {
    const response = await session.fetch(url, {
      redirect: "manual",
      headers: {
        accept: ACCEPTED,
        "user-agent": AGENT,
        ...(etag != null && { "if-none-match": etag }),
        ...(lastModified != null && { "if-modified-since": lastModified }),
      },
    });
    const contentType = response.headers.get("content-type") ?? "";
    const [type = ""] = contentType.toLowerCase().split(";");
    const sent = response.ok ? await response.arrayBuffer() : new ArrayBuffer();
    const maxBytes = limits?.maxBytes ?? LIMITS.maxBytes;
    const bytes = unpacks ? await unpack(sent, maxBytes) : sent;
    if ("failure" in bytes) return bytes;
    return {
      status: response.status,
      location: locationOf(response),
      type: type.trim(),
      body: decode(bytes, contentType),
      etag: response.headers.get("etag"),
      lastModified: response.headers.get("last-modified"),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchFault) return { failure: error.message };
    throw error;
  }
}

const unzip = promisify(gunzip);

/** The content of a gzip file, or the bytes as they are if they are none. */
async function unpack(
  bytes: ArrayBuffer,
  maxBytes: number,
): Promise<ArrayBuffer | Uint8Array | { readonly failure: string }> {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first !== 0x1f || second !== 0x8b) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      failure:
        code === "ERR_BUFFER_TOO_LARGE"
          ? `It is larger than ${maxBytes} bytes once it is unpacked`
          : "It is a gzip file that cannot be unpacked",
    };
  }
}

function decode(bytes: ArrayBuffer | Uint8Array, contentType: string): string {
  const label = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
