import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** Where the packed program of a run is installed: outside of the workspace, beside its build. */
export const installedFolder = (build: string): string =>
  path.join(os.tmpdir(), `parley-installed-${path.basename(build)}`);

/** Removes it with the build. */
export const removeInstalled = async (build: string): Promise<void> =>
  rm(installedFolder(build), { recursive: true, force: true });
