import { readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { writePrivateFile } from "./write-private-file.ts";

const Named = z.object({ sId: z.string(), slug: z.string() });

/** What clients need to use the demo workspace. */
const Demo = z.object({
  workspaceId: z.string(),
  adminKey: z.string(),
  userKey: z.string(),
  operatorKey: z.string(),
  spaceId: z.string(),
  agents: z.array(Named),
  functions: z.array(Named),
});
export type Demo = z.infer<typeof Demo>;

/** What its file has: the demo, and where its server was at its last start. */
const DemoFile = Demo.extend({ url: z.string().optional() });
type DemoFile = z.infer<typeof DemoFile>;

/** The path of the file with the keys of the demo, which only its owner can read. */
export function demoFile(dataDirectory: string): string {
  return path.join(dataDirectory, "demo.json");
}

/** The content of the last start's file; empty without a readable file. */
export async function readDemoFile(dataDirectory: string): Promise<Partial<DemoFile>> {
  try {
    const content: unknown = JSON.parse(await readFile(demoFile(dataDirectory), "utf8"));
    return DemoFile.safeParse(content).data ?? {};
  } catch {
    return {};
  }
}

/**
 * Writes the file of this start: its keys are stored nowhere else, and a start without them creates others.
 */
export async function writeDemoFile(dataDirectory: string, demo: Demo, url: string): Promise<void> {
  const content = { url, ...demo, pid: process.pid, startedAt: new Date().toISOString() };
  await writePrivateFile(demoFile(dataDirectory), `${JSON.stringify(content, null, 2)}\n`);
}
