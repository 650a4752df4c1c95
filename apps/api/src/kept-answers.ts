import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { KeptQuestion } from "@parley/rpc";
import { LRUCache } from "lru-cache";

/** An answer as it is sent, from its bytes on. */
export interface KeptAnswer {
  /** Weak: it names what the JSON says, however it is encoded. */
  readonly etag: string;
  readonly json: Buffer;
  /** The JSON compressed; done once. */
  gzip(): Promise<Buffer>;
}

interface Entry extends KeptAnswer {
  readonly version: string;
  readonly bytes: number;
}

/** How much memory ready answers take; the one that was asked for least lately goes first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 1024;
const compress = promisify(gzip);

/**
 * Keeps answers as they are sent, and asks before each use whether what they were made of is still
 * the same. Answers for different access are different entries. Questions that come together share
 * one computation; if anything changed during it, only the one that began it takes what came out.
 */
export function createKeptAnswers(
  maxBytes = MAX_BYTES,
): (question: KeptQuestion) => Promise<KeptAnswer> {
  const kept = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, place) => bytes + place.length + ENTRY_BYTES,
  });
  /** By the place and the version at which each began. */
  const computing = new Map<string, Promise<{ answer: KeptAnswer; holds: boolean }>>();

  const render = (place: string, version: string, output: unknown): Entry => {
    const json = Buffer.from(JSON.stringify(output));
    const hash = createHash("sha256").update(json).digest("base64url").slice(0, 22);
    let compressed: Promise<Buffer> | undefined;
    const compressOnce = async (): Promise<Buffer> => {
      const result = await compress(json);
      const bytes = json.length + result.length;
      // It takes more room from now on, if it is still there.
      if (kept.peek(place) === entry) kept.set(place, { ...entry, bytes });
      return result;
    };
    const entry: Entry = {
      version,
      etag: `W/"${hash}"`,
      json,
      bytes: json.length,
      gzip: () => (compressed ??= compressOnce()),
    };
    return entry;
  };

  return async (question) => {
    const state = await question.readState();
    const place = `${question.key} ${state.access}`;
    const known = kept.get(place);
    if (known?.version === state.version) return known;
    const attempt = `${place} ${state.version}`;
    const begin = async () => {
      const answer = render(place, state.version, await question.compute());
      const { version, access } = await question.readState();
      const holds = version === state.version && access === state.access;
      if (holds) kept.set(place, answer);
      return { answer, holds };
    };
    const running = computing.get(attempt);
    if (running !== undefined) {
      const { answer, holds } = await running;
      return holds ? answer : render(place, state.version, await question.compute());
    }
    const begun = begin().finally(() => computing.delete(attempt));
    computing.set(attempt, begun);
    const { answer } = await begun;
    return answer;
  };
}
