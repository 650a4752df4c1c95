import { readClientSettings } from "@parley/command/client-settings";
import { CommandError } from "@parley/command/command-error";
import { printLine } from "@parley/command/print";
import { callServer } from "./call-server.ts";
import {
  type Profile,
  profilesFile,
  readProfiles,
  unknownProfile,
  writeProfiles,
} from "./profiles.ts";
import { readSecrets } from "./read-secrets.ts";
import { describeSession } from "./who-am-i.ts";
import type { Context } from "./context.ts";

const DEFAULT_URL = "http://127.0.0.1:3000";
const NAME = /^[\w.:-]{1,64}$/;

interface LoginOptions {
  readonly url?: string;
  readonly workspace?: string;
  readonly profile?: string;
}

/** Tries a key, which is read from standard input or asked for, and saves it as the current profile. */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  const { io, serverSettings } = context;
  const settings = readClientSettings(options, io.environment, serverSettings);
  const url = settings.PARLEY_URL ?? DEFAULT_URL;
  const name = options.profile ?? new URL(url).host;
  if (!NAME.test(name)) {
    throw new CommandError("--profile takes 1 to 64 letters, digits, dots, colons and hyphens");
  }
  const [apiKey = ""] = await readSecrets(io, [`Key for ${url}`]);
  const { rpc } = context.connect({ url, apiKey });
  const { session } = await callServer(rpc.session.get.query({}));
  const workspaceId = options.workspace ?? session.workspace?.sId;
  const before = await readProfiles(io.environment);
  const profile: Profile = { url, apiKey, ...(workspaceId !== undefined && { workspaceId }) };
  await writeProfiles(io.environment, {
    current: name,
    profiles: { ...before.profiles, [name]: profile },
  });
  printLine(io, `Logged in to ${url}: ${describeSession(session)}`);
  printLine(io, `  profile ${name} in ${profilesFile(io.environment)}`);
}

/** Forgets a profile, the current one by default. */
export async function logout(context: Context, given: string | undefined): Promise<void> {
  const { io } = context;
  const { current, profiles } = await readProfiles(io.environment);
  const name = given ?? current;
  if (name === undefined || !Object.hasOwn(profiles, name)) throw unknownProfile(name, profiles);
  const { [name]: _forgotten, ...others } = profiles;
  const next = current === name ? Object.keys(others)[0] : current;
  await writeProfiles(io.environment, {
    ...(next !== undefined && { current: next }),
    profiles: others,
  });
  printLine(
    io,
    `forgotten: ${name}${next === undefined || next === current ? "" : `; current is ${next}`}`,
  );
}

/** Lists the profiles, and chooses another one. */
export async function listProfiles(
  context: Context,
  {
    use,
    json,
  }: {
    readonly use?: string;
    readonly json?: true;
  },
): Promise<void> {
  const { io } = context;
  const { profiles, ...before } = await readProfiles(io.environment);
  if (use !== undefined && !Object.hasOwn(profiles, use)) throw unknownProfile(use, profiles);
  const current = use ?? before.current;
  if (use !== undefined) await writeProfiles(io.environment, { current: use, profiles });
  const listed = Object.entries(profiles).map(([name, { url, workspaceId }]) => ({
    name,
    url,
    workspaceId: workspaceId ?? null,
    isCurrent: name === current,
  }));
  if (json) return printLine(io, JSON.stringify({ profiles: listed }));
  for (const { name, url, workspaceId, isCurrent } of listed) {
    printLine(
      io,
      `${isCurrent ? "*" : " "} ${name}: ${url}${workspaceId === null ? "" : `, workspace ${workspaceId}`}`,
    );
  }
}
