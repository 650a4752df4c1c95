import { type Job, threadModule } from "../untrusted/job.ts";
import type { CallOptions, Threads } from "../untrusted/threads.ts";
import { describeBody, type SentBody, type StoredBody } from "./template-thread.ts";

/** Characters of a body and the texts of rows that are worked on here: a thread takes longer to be asked. */
const MAX_INLINE_CHARACTERS = 64 * 1024;

const job: Job<SentBody, StoredBody> = {
  url: threadModule("template-thread", import.meta.url),
  name: "describeBody",
  deadlineMs: 10_000,
};

/** Describes the body of a request as it is stored; undefined if that takes too long. Throws if it is no JSON. */
export async function describeRequest(
  threads: Threads,
  sent: SentBody,
  options: CallOptions,
): Promise<StoredBody | undefined> {
  const characters = sent.sources.reduce((sum, { text }) => sum + text.length, sent.json.length);
  if (characters <= MAX_INLINE_CHARACTERS) return describeBody(sent);
  const outcome = await threads.call(job, sent, options);
  return "value" in outcome ? outcome.value : undefined;
}
