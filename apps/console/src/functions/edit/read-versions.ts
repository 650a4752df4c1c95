import type { RpcClient } from "parley-client";
import { rpc } from "../../api/clients.ts";

/** One version of a function. */
export type FunctionVersion = Awaited<
  ReturnType<RpcClient["sandboxFunctions"]["listVersions"]["query"]>
>["versions"][number];

interface Wanted {
  readonly wId: string;
  readonly functionId: string;
  /** The newest one, if none is given. */
  readonly version?: number;
}

/** Why a version cannot be shown: retention deletes old ones. */
export const describeMissing = (version: number, newest: number): string =>
  version > newest ? `Version ${version} does not exist.` : `Version ${version} is no longer kept.`;

/** Reads a version of a function; undefined if there is none. */
export async function readVersion(
  { version, ...wanted }: Wanted,
  signal: AbortSignal,
): Promise<FunctionVersion | undefined> {
  // Pages continue below a number, the newest first.
  const lastValue = version === undefined ? undefined : String(version + 1);
  const call = { ...wanted, limit: 1, lastValue };
  const page = await rpc.sandboxFunctions.listVersions.query(call, { signal });
  const [found] = page.versions;
  return version === undefined || found?.version === version ? found : undefined;
}
