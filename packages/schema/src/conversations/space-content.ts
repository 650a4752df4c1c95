import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { pageEnd, PageLimit, placeLike } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";
import { SpaceIdentity } from "../workspaces/spaces.ts";
import { Conversation } from "./conversations.ts";

const lastValue = optional(placeLike(/^p\d{1,15}$/)).describe(
  "Position returned by the previous page",
);
const updatedSince = optional(TimeFromQuery).describe(
  "Only what has changed since this time, in milliseconds",
);

/** Query of the list of the ids of a space's conversations. */
export const ListSpaceConversationIds = z.object({
  limit: optional(fromQuery(z.int().min(1).max(1000)))
    .transform((limit) => limit ?? 1000)
    .describe("Ids of a page, 1 to 1000; 1000 by default")
    .meta({ example: 1000 }),
  lastValue,
});
export type ListSpaceConversationIds = z.output<typeof ListSpaceConversationIds>;

export const SpaceConversationIds = z.object({
  conversationIds: z
    .array(z.string())
    .describe("Ids of conversations, newest first")
    .meta({ example: ["Kd82jXq0Pz"] }),
  ...pageEnd,
});
export type SpaceConversationIds = z.infer<typeof SpaceConversationIds>;

/** Query of the list of a space's conversations. */
export const ListSpaceConversations = z.object({
  updatedSince,
  limit: PageLimit.transform((limit) => limit ?? 100)
    .describe("Conversations of a page, 1 to 100; 100 by default")
    .meta({ example: 100 }),
  lastValue,
});
export type ListSpaceConversations = z.output<typeof ListSpaceConversations>;

export const SpaceConversations = z.object({
  conversations: z.array(Conversation).describe("Conversations with their messages, newest first"),
  ...pageEnd,
});
export type SpaceConversations = z.infer<typeof SpaceConversations>;

/** What is known of a space as a project. */
export const ProjectMetadata = z.object({
  sId: z.string().describe("Id of the space").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  createdAt: Milliseconds.describe("When the space was created"),
  updatedAt: Milliseconds.describe("When the space last changed"),
  spaceId: z.string().describe("The same as sId").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  description: z.null().describe("Always null"),
  archivedAt: z.null().describe("Always null"),
  members: z.array(z.string()).describe("Always empty: keys have access to a space, not users"),
});
export type ProjectMetadata = z.infer<typeof ProjectMetadata>;

/** Query of the list of the files in a space's conversations. */
export const ListProjectFiles = z.object({ updatedSince });
export type ListProjectFiles = z.output<typeof ListProjectFiles>;

export const ProjectFiles = z.object({
  files: z
    .array(
      z.object({
        isDirectory: z.literal(false).describe("Always false"),
        fileName: z.string().describe("Name of the file").meta({ example: "Opening hours" }),
        path: z
          .string()
          .describe("Id of the conversation, and name of the file")
          .meta({ example: "Kd82jXq0Pz/Opening hours" }),
        sizeBytes: z.int().describe("Size of the file in bytes").meta({ example: 16 }),
        lastModifiedMs: Milliseconds.describe("When the file was added"),
        contentType: z.string().describe("MIME type of the file").meta({ example: "text/plain" }),
        fileId: z.string().describe("Id of the file").meta({ example: "fil_Zk7Qm2Lx9C" }),
        thumbnailUrl: z.null().describe("Always null"),
        signedDownloadUrl: z.null().describe("Always null: read the file by its id"),
      }),
    )
    .describe("The newest 1000 files of the conversations, newest first"),
});
export type ProjectFiles = z.infer<typeof ProjectFiles>;

const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}";
const ofSpace = {
  ...get,
  scope: "conversations:read",
  params: SpaceIdentity,
  tags: ["spaces"],
  errors: ["space_not_found"],
} as const;

/** Operations on the conversations of a space, and their files. */
export const spaceContentEndpoints = {
  "spaces.listConversationIds": {
    ...ofSpace,
    summary: "List the ids of the conversations in a space",
    path: `${inSpace}/conversation_ids`,
    query: ListSpaceConversationIds,
    output: SpaceConversationIds,
  },
  "spaces.listConversations": {
    ...ofSpace,
    summary: "List the conversations in a space with their messages",
    path: `${inSpace}/conversations`,
    query: ListSpaceConversations,
    output: SpaceConversations,
  },
  "spaces.getProjectMetadata": {
    ...ofSpace,
    summary: "Read a space as a project",
    path: `${inSpace}/project_metadata`,
    output: z.object({ metadata: ProjectMetadata.describe("The space") }),
  },
  "spaces.listProjectFiles": {
    ...ofSpace,
    summary: "List the files of the conversations in a space",
    path: `${inSpace}/project_files`,
    query: ListProjectFiles,
    output: ProjectFiles,
  },
} as const satisfies Record<string, Endpoint>;
