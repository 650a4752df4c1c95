import { readClientSettings } from "@parley/command/client-settings";
import { CommandError } from "@parley/command/command-error";
import { readDemoFile } from "@parley/command/demo-file";
import { BadConfiguration } from "@parley/command/setting-faults";
import { type Profile, readProfiles, unknownProfile } from "./profiles.ts";
import type { Context } from "./context.ts";

/** A server, and a key of it. */
export interface NamedServer {
  readonly url: string;
  readonly apiKey: string;
  /** Undefined if only the server knows. */
  readonly workspaceId: string | undefined;
}

/** What a command was given. */
export interface ServerNames {
  readonly url?: string | undefined;
  readonly workspace?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * The server that a command calls: that of the environment if it has a key, else that of a profile, else the
 * demo of this directory. A key goes to no other URL than the one it was saved with. Throws `BadConfiguration`,
 * or `CommandError` if none is named.
 */
export async function findServer(
  context: Context,
  names: ServerNames,
  role: "admin" | "operator" = "admin",
): Promise<NamedServer> {
  context.state.isConnected = true;
  const { io, serverSettings } = context;
  const { environment } = io;
  const settings = readClientSettings(names, environment, serverSettings);
  const { PARLEY_URL: url, PARLEY_API_KEY: apiKey, PARLEY_WORKSPACE: workspaceId } = settings;
  if (apiKey !== undefined && names.profile === undefined) {
    if (url === undefined)
      throw new BadConfiguration("PARLEY_API_KEY is set, but PARLEY_URL is not");
    return { url, apiKey, workspaceId };
  }
  const profile = await findProfile(environment, settings.PARLEY_PROFILE, url);
  if (profile !== undefined) return { ...profile, workspaceId: workspaceId ?? profile.workspaceId };
  const demo = await findDemo(settings.PARLEY_DATA_DIR, url, role);
  if (demo !== undefined) return { ...demo, workspaceId: workspaceId ?? demo.workspaceId };
  const named = url === undefined ? "No server is configured" : `No key for ${url}`;
  throw new CommandError(`${named}: run parley login, or set PARLEY_URL and PARLEY_API_KEY`);
}

/** The profile with a name; else the current one, if it is of the URL; else any of the URL. */
async function findProfile(
  environment: NodeJS.ProcessEnv,
  name: string | undefined,
  url: string | undefined,
): Promise<Profile | undefined> {
  const { current, profiles } = await readProfiles(environment);
  const isWanted = (one: Profile): boolean => url === undefined || isSameServer(one.url, url);
  if (name === undefined) {
    const chosen = current === undefined ? undefined : profiles[current];
    if (chosen !== undefined && isWanted(chosen)) return chosen;
    return url === undefined ? undefined : Object.values(profiles).find(isWanted);
  }
  const named = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (named === undefined) throw unknownProfile(name, profiles);
  if (isWanted(named)) return named;
  throw new CommandError(
    `The profile ${name} belongs to ${named.url}, not to ${String(url)}: give only one of them`,
  );
}

/** The demo that a start on this machine made, with the key of its admin or operator. */
async function findDemo(
  dataDirectory: string,
  url: string | undefined,
  role: "admin" | "operator",
): Promise<NamedServer | undefined> {
  const demo = await readDemoFile(dataDirectory);
  const apiKey = role === "admin" ? demo.adminKey : demo.operatorKey;
  if (demo.url === undefined || apiKey === undefined) return undefined;
  if (url !== undefined && !isSameServer(demo.url, url)) return undefined;
  return { url: demo.url, apiKey, workspaceId: demo.workspaceId };
}

const isSameServer = (one: string, other: string): boolean =>
  new URL(one).href.replace(/\/+$/, "") === new URL(other).href.replace(/\/+$/, "");
