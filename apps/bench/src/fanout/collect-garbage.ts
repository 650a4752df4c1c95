/**
 * Collects this process's garbage, so that its resident memory is what it keeps. Throws without
 * `--expose-gc`.
 */
export async function collectGarbage(): Promise<void> {
  if (globalThis.gc === undefined) throw new Error("Start this process with --expose-gc");
  // Only the last resort gives empty pages back to the system: a server that has just started had
  // 90 MB of them, which hid what the streams took that were opened next.
  globalThis.gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
