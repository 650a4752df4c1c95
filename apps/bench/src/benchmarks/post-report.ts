import type { Sample } from "../measure.ts";
import { answerRatio, processorMicros, type ResultRow, summarize } from "../report.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

/** Posts to conversations of one size. */
export interface MeasuredPosts {
  readonly messages: 10 | 1000;
  readonly blocking: boolean;
  readonly samples: readonly Sample[];
}

/** The two tables of a run: what was measured, and the ratios. */
export function renderPosts(
  measured: readonly MeasuredPosts[],
  results: readonly ResultRow[],
): string {
  const rows = measured.map(({ messages, blocking, samples }) => ({
    post: blocking ? "blocking" : "non-blocking",
    messages,
    ...summarize(samples, "posts"),
  }));
  return `\n${renderTable(rows)}\n${renderTable(results)}`;
}

/** The ratios of a run: posts to long conversations over posts to short ones. */
export function answerPosts(measured: readonly MeasuredPosts[]): ResultRow[] {
  const find = (messages: number, blocking: boolean) =>
    measured.find((one) => one.messages === messages && one.blocking === blocking)?.samples ?? [];
  return [false, true].flatMap((blocking) => {
    const name = `1,000 messages over 10, ${blocking ? "blocking" : "non-blocking"} post`;
    const sides = { of: find(1000, blocking), over: find(10, blocking) };
    return [
      answerRatio({
        ...sides,
        name: `${name}: p50`,
        read: ({ p50Ms }) => p50Ms,
        target: targets.postToLongConversation,
      }),
      answerRatio({
        ...sides,
        name: `${name}: processor time of server and database`,
        read: processorMicros,
      }),
    ];
  });
}
