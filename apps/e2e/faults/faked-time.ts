import { access } from "node:fs/promises";

const LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** Why no clock can be faked here; nothing if one can. */
export async function whyNoFakedTime(): Promise<string | undefined> {
  return access(LIBRARY).then(
    () => undefined,
    () => "libfaketime is not installed",
  );
}

/** The environment of a process whose clock shows `atMs` now, and goes on from there; how long things take stays as it is. */
export function fakedTime(atMs: number): Record<string, string> {
  const offset = ((atMs - Date.now()) / 1000).toFixed(3);
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME: `${atMs < Date.now() ? "" : "+"}${offset}`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // Its own shared memory would be left behind by what is killed.
    FAKETIME_DISABLE_SHM: "1",
    TZ: "UTC",
  };
}
