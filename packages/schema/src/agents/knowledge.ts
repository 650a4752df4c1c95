import * as z from "zod";
import { optional, Reference, ShortText } from "../parsing/text.ts";

const said = {
  everything:
    "Whether all documents may be looked up: those of the conversation's space if it is in one, else all that the " +
    "asking user reaches",
  dataSourceIds: "Data sources whose documents may be looked up",
  folders: "Folders whose documents may be looked up",
  tags: "Tags whose documents may be looked up, in any data source",
};

/** Data sources, folders and tags that one agent may look up, each. */
const MAX_NAMED = 50;

const Folder = z.strictObject({
  dataSourceId: Reference.describe("Id of the data source").meta({ example: "dts_Mx2Cf9Jt6R" }),
  folderId: Reference.describe("Id of the folder in it").meta({ example: "shops" }),
});

/** What an agent may look up: by default nothing. Whoever asks finds no more than they reach themselves. */
export const AgentKnowledge = z.strictObject({
  everything: optional(z.boolean()).describe(said.everything),
  dataSourceIds: optional(z.array(Reference).max(MAX_NAMED))
    .describe(said.dataSourceIds)
    .meta({ example: ["dts_Mx2Cf9Jt6R"] }),
  folders: optional(z.array(Folder).max(MAX_NAMED)).describe(said.folders),
  tags: optional(z.array(ShortText.min(1)).max(MAX_NAMED)).describe(said.tags),
});
export type AgentKnowledge = z.output<typeof AgentKnowledge>;

/** The same as it is stored. */
export const StoredAgentKnowledge = z.object({
  everything: z.boolean().optional().describe(said.everything),
  dataSourceIds: z
    .array(z.string())
    .optional()
    .describe(said.dataSourceIds)
    .meta({ example: ["dts_Mx2Cf9Jt6R"] }),
  folders: z
    .array(
      z.object({
        dataSourceId: z.string().describe("Id of the data source"),
        folderId: z.string().describe("Id of the folder in it"),
      }),
    )
    .optional()
    .describe(said.folders),
  tags: z.array(z.string()).optional().describe(said.tags),
});
export type StoredAgentKnowledge = z.infer<typeof StoredAgentKnowledge>;

/** Whether an agent with this may look up anything. */
export function looksUp(knowledge: AgentKnowledge | StoredAgentKnowledge | null): boolean {
  const { everything, dataSourceIds = [], folders = [], tags = [] } = knowledge ?? {};
  return everything === true || dataSourceIds.length + folders.length + tags.length > 0;
}
