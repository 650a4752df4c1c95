import * as z from "zod";
import { type DescribedSetting, describeSettingsOf, readSettingsOf } from "./settings.ts";

/** The server that a command calls. The key is never an argument, because those are visible to others. */
export const ClientSettings = z.object({
  PARLEY_DATA_DIR: z
    .string()
    .min(1)
    .default(".parley")
    .describe("Directory of the embedded database, of encryption.key and of demo.json"),
  PARLEY_URL: z
    .url({
      protocol: /^https?$/,
      error: "it must be the URL of a server, such as http://127.0.0.1:3000",
    })
    .optional()
    .describe("Server that commands call"),
  PARLEY_API_KEY: z.string().optional().describe("Key that commands use; parley login saves one"),
  PARLEY_WORKSPACE: z.string().optional().describe("Id of the workspace; defaults to the key's"),
  PARLEY_PROFILE: z.string().optional().describe("Profile (of parley login) that commands use"),
});
export type ClientSettings = z.output<typeof ClientSettings>;

/**
 * Reads which server a command calls; arguments take precedence. The names of the settings of a server are allowed
 * beside its own. Throws `BadConfiguration`.
 */
export function readClientSettings(
  given: {
    url?: string | undefined;
    workspace?: string | undefined;
    profile?: string | undefined;
  },
  environment: NodeJS.ProcessEnv,
  serverSettings: readonly string[],
): ClientSettings {
  return readSettingsOf(
    ClientSettings,
    {
      ...environment,
      PARLEY_URL: given.url ?? environment.PARLEY_URL,
      PARLEY_WORKSPACE: given.workspace ?? environment.PARLEY_WORKSPACE,
      PARLEY_PROFILE: given.profile ?? environment.PARLEY_PROFILE,
    },
    [...serverSettings, ...Object.keys(ClientSettings.shape)],
  );
}

/** A row for each setting of commands that call a server. */
export const describeClientSettings = (): DescribedSetting[] => describeSettingsOf(ClientSettings);
