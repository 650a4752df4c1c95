import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPlace, startServer } from "../server.ts";
import { readLargeConversation } from "./large-conversation.ts";

const MIB = 1024 * 1024;

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test(
  "16 readers of a conversation of 24 MiB cost a server less memory than their answers",
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace();
    // A process of its own, whose memory is read.
    await using server = await startServer(place);
    const { workspaceId, userKey } = server.demo;
    const before = await residentBytes(server.pid);
    let peakBytes = 0;
    let over = false;
    const watch = async (): Promise<void> => {
      while (!over) {
        peakBytes = Math.max(peakBytes, (await residentBytes(server.pid)) - before);
        await sleep(20);
      }
    };
    const watching = watch();
    const target = { urls: [server.url], workspaceId, userKey } as const;
    await readLargeConversation(target, { mebibytes: 24, readers: 16 }).finally(() => {
      over = true;
    });
    await watching;
    // They are answered with 384 MiB together, and it was 155 at most.
    expect(peakBytes / MIB).toBeLessThan(250);
  },
);
