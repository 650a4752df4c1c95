import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { otherUser } from "../other-user.ts";
import { bundleProgram } from "./bundle-program.ts";

it.runIf(process.geteuid?.() === 0)("bundles as a user that nothing else runs as", async () => {
  const users = new Set<string>();
  const look = setInterval(() => {
    for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
      if (!read(`/proc/${pid}/cmdline`).includes("bundle-entry")) continue;
      const status = read(`/proc/${pid}/status`);
      // Only children of this process, not those of tests beside it.
      if (!status.includes(`PPid:\t${process.pid}\n`)) continue;
      users.add(/^Uid:\t(.*)$/m.exec(status)?.[1] ?? "");
    }
  }, 5);
  try {
    const answer = await bundleProgram({ "index.ts": "export default () => 1" });
    expect(answer).toHaveProperty("bundle");
  } finally {
    clearInterval(look);
  }
  const uid = otherUser()?.uid;
  expect([...users]).toEqual([[uid, uid, uid, uid].join("\t")]);
});

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}
