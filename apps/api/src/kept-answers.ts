import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AnswerState } from "@parley/core";
import type { KeptQuestion } from "@parley/rpc";
import { LRUCache } from "lru-cache";

/** An answer as it is sent, from its bytes on. */
export interface KeptAnswer {
  /** Weak: it names what the JSON says, however it is encoded. */
  readonly etag: string;
  readonly json: Buffer;
  /** The JSON compressed; done once, and at hand from then on. */
  gzip(): Promise<Buffer> | Buffer;
}

export interface KeptAnswers {
  /** Answers a question, from what is kept where nothing has changed. */
  answer(question: KeptQuestion): Promise<KeptAnswer>;
  /** What is kept for the questions of a key in a state. */
  find(key: string, state: AnswerState): KeptAnswer | undefined;
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
export function createKeptAnswers(maxBytes = MAX_BYTES): KeptAnswers {
  const kept = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, place) => bytes + place.length + ENTRY_BYTES,
  });
  /** By the place and the version at which each began. */
  const computing = new Map<string, Promise<{ answer: KeptAnswer; holds: boolean }>>();

  const render = (place: string, version: string, output: unknown): Entry => {
    const json = Buffer.from(JSON.stringify(output));
    const hash = createHash("sha256").update(json).digest("base64url").slice(0, 22);
    let compressed: Promise<Buffer> | Buffer | undefined;
    const compressOnce = async (): Promise<Buffer> => {
      const result = await compress(json);
      compressed = result;
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

  const placeOf = (key: string, { access }: AnswerState): string => `${key} ${access}`;

  const find: KeptAnswers["find"] = (key, state) => {
    const known = kept.get(placeOf(key, state));
    return known?.version === state.version ? known : undefined;
  };

  const answer: KeptAnswers["answer"] = async (question) => {
    const state = await question.state.read();
    const known = find(question.key, state);
    if (known !== undefined) return known;
    const place = placeOf(question.key, state);
    const attempt = `${place} ${state.version}`;
    const begin = async () => {
      const made = render(place, state.version, await question.compute());
      const { version, access } = await question.state.read();
      const holds = version === state.version && access === state.access;
      if (holds) kept.set(place, made);
      return { answer: made, holds };
    };
    const running = computing.get(attempt);
    if (running !== undefined) {
      const { answer: shared, holds } = await running;
      return holds ? shared : render(place, state.version, await question.compute());
    }
    const begun = begin().finally(() => computing.delete(attempt));
    computing.set(attempt, begun);
    return (await begun).answer;
  };

  return { answer, find };
}
