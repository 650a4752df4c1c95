import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

/** A profile of the world's server. */
async function saveProfile({ home, url, adminKey: apiKey, wId: workspaceId }: World) {
  const profiles = { shop: { url, apiKey, workspaceId } };
  await mkdir(path.join(home, "parley"));
  const file = path.join(home, "parley/profiles.json");
  await writeFile(file, JSON.stringify({ current: "shop", profiles }));
}

const keyIn = (settings: Readonly<Record<string, string>>): string =>
  settings["PARLEY_API_KEY"] ?? "";

/** Commands about which server is called. */
export const connectionEntries: readonly Entry[] = [
  {
    command: "login",
    input: (settings) => `${keyIn(settings)}\n`,
    asked: [["Key for .*:\\d+:", (settings) => `${keyIn(settings)}\r`]],
  },
  { command: "logout", prepare: saveProfile, args: ["shop"], opens: "nothing" },
  { command: "profiles", prepare: saveProfile, opens: "nothing" },
  { command: "whoami" },
  { command: "status" },
  // Without npm: a registry is not the machine's to have.
  { command: "update", opens: "nothing", settings: { PATH: "/nowhere" }, exits: 1 },
  // The link signs in, once.
  { command: "console", showsSecret: true },
];
