import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fitsBytes, fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { MEMORY_BOUNDS, MemoryCommandName } from "./commands.ts";

/** Whose a memory is. */
export const MemoryScope = z.enum(["user", "agent", "agent-user", "space"]);

const fileText = text(MEMORY_BOUNDS.fileBytes).refine(
  (value) => fitsBytes(value, MEMORY_BOUNDS.fileBytes),
  { error: `must be at most ${MEMORY_BOUNDS.fileBytes} bytes of UTF-8` },
);
const path = text(512, 1).meta({ example: "/memories/user/tea.md" });

const MemoryOrigin = z.object({
  conversationId: z.string().nullable().describe("Conversation of the call that wrote it"),
  messageId: z.string().nullable().describe("Answer of the call"),
  actionId: z.string().nullable().describe("The call; null if a person wrote it"),
  userId: z.string().nullable().describe("Person who wrote it; null for a call and an operator"),
});
const MemorySource = z.object({
  type: z.enum(["tool", "document", "memory", "summary"]).describe("Kind of the text"),
  name: z.string().describe("Name of the tool or document; empty if it has none"),
});
const derivedFrom = z
  .array(MemorySource)
  .describe("Text from outside that the model had read when it wrote")
  .meta({ example: [] });

const placed = {
  scope: MemoryScope.describe("Whose it is"),
  agentId: z.string().nullable().describe("Agent that it is of; null for all agents"),
  spaceId: z.string().nullable().describe("Space that it is of; null for others"),
  path: z.string().describe("Path of the file").meta({ example: "/memories/user/tea.md" }),
};

/** A file that agents remember, without its text. */
export const MemoryFile = z.object({
  sId: z.string().describe("Id of the file").meta({ example: "mem_Bn7Yt2Kq4L" }),
  ...placed,
  bytes: z.int().describe("Size of the text in bytes of UTF-8").meta({ example: 15 }),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  derivedFrom,
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type MemoryFile = z.infer<typeof MemoryFile>;

export const MemoryPage = z.object({
  memories: z.array(MemoryFile).describe("Files, oldest first"),
  ...pageEnd,
});
export type MemoryPage = z.infer<typeof MemoryPage>;

export const MemoryVersion = z.object({
  version: z.int().describe("Number of the version, from 0").meta({ example: 0 }),
  path: z.string().describe("Path that it had").meta({ example: "/memories/user/tea.md" }),
  content: z.string().describe("Text that it had").meta({ example: "Likes green tea" }),
  origin: MemoryOrigin.describe("Who wrote it"),
  derivedFrom,
  createdAt: Milliseconds.describe("When it was written"),
});

export const OneMemory = z.object({
  memory: MemoryFile.describe("The file"),
  content: z.string().describe("Its text").meta({ example: "Likes green tea" }),
  versions: z
    .array(MemoryVersion)
    .describe(`Its newest ${MEMORY_BOUNDS.versions} versions, newest first`),
});
export type OneMemory = z.infer<typeof OneMemory>;

/** A change that waits for a person. */
export const MemoryProposal = z.object({
  sId: z.string().describe("Id of the change").meta({ example: "mpr_Bn7Yt2Kq4L" }),
  ...placed,
  change: z.enum(["write", "remove", "move"]).describe("What it does to the file"),
  newPath: z.string().nullable().describe("Path that the file moves to; null for other changes"),
  content: z.string().nullable().describe("New text of the file; null for other changes"),
  origin: MemoryOrigin.describe("Who proposed it"),
  derivedFrom,
  createdAt: Milliseconds.describe("When it was proposed"),
});
export type MemoryProposal = z.infer<typeof MemoryProposal>;

/** How long a change waits for a person. */
export const PROPOSAL_RETENTION_MS = 30 * 24 * 3_600_000;

export const MemoryProposalPage = z.object({
  proposals: z.array(MemoryProposal).describe("Changes that wait, oldest first"),
  ...pageEnd,
});
export type MemoryProposalPage = z.infer<typeof MemoryProposalPage>;

const filter = {
  scope: optional(MemoryScope).describe("Only files of this scope"),
  agentId: optional(Reference).describe("Only files of this agent"),
  spaceId: optional(Reference).describe("Only files of this space"),
};
export const ListMemories = WorkspaceParams.extend({
  ...filter,
  ...pageByNumber("Files", 50),
});
export type ListMemories = z.output<typeof ListMemories>;

export const ListMemoryProposals = WorkspaceParams.extend({ ...pageByNumber("Changes", 20) });
export type ListMemoryProposals = z.output<typeof ListMemoryProposals>;

export const MemoryIdentity = WorkspaceParams.extend({
  memoryId: Reference.describe("Id of the file").meta({ example: "mem_Bn7Yt2Kq4L" }),
});
export type MemoryIdentity = z.output<typeof MemoryIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedMemory = MemoryIdentity.extend({ version });
export type VersionedMemory = z.output<typeof VersionedMemory>;

export const EraseMemories = WorkspaceParams.extend({
  userId: optional(Reference).describe(
    "User whose files go; your own by default, and another's only for admins",
  ),
  agentId: optional(Reference).describe("Agent whose files for all users go, in place of a user's"),
  spaceId: optional(Reference).describe("Space whose files go, in place of a user's"),
});
export type EraseMemories = z.output<typeof EraseMemories>;

export const ErasedMemories = z.object({
  erased: z.int().describe("Files that went, with their versions").meta({ example: 2 }),
});
export type ErasedMemories = z.infer<typeof ErasedMemories>;

export const UpdateMemory = VersionedMemory.extend({
  content: fileText.describe("New text of the file").meta({ example: "Likes green tea" }),
});
export type UpdateMemory = z.output<typeof UpdateMemory>;

export const ProposalIdentity = WorkspaceParams.extend({
  proposalId: Reference.describe("Id of the change").meta({ example: "mpr_Bn7Yt2Kq4L" }),
});
export type ProposalIdentity = z.output<typeof ProposalIdentity>;

const ofCommand = (names: string) => `For ${names}`;
/** A command, and whose memory it is about besides the caller's own. */
export const RunMemoryCommand = WorkspaceParams.extend({
  command: MemoryCommandName.describe("Command of the tool memory").meta({ example: "view" }),
  path: optional(path).describe(ofCommand("all but rename: path below /memories")),
  view_range: optional(z.array(z.int()).length(2)).describe(
    ofCommand("view: first and last line; -1 for the end of the file"),
  ),
  file_text: optional(fileText).describe(ofCommand("create: text of the file")),
  old_str: optional(fileText).describe(ofCommand("str_replace: text to replace")),
  new_str: optional(fileText).describe(ofCommand("str_replace: text in its place")),
  insert_line: optional(z.int()).describe(ofCommand("insert: line to insert after")),
  insert_text: optional(fileText).describe(ofCommand("insert: text to insert")),
  old_path: optional(path).describe(ofCommand("rename: path before")),
  new_path: optional(path).describe(ofCommand("rename: path after")),
  agentId: optional(Reference).describe("Agent whose memory is there too; none by default"),
  spaceId: optional(Reference).describe("Space whose memory is there too; none by default"),
});
export type RunMemoryCommand = z.output<typeof RunMemoryCommand>;

export const MemoryResult = z.object({
  output: z
    .string()
    .describe("Text that a model is given")
    .meta({ example: "File created successfully at: /memories/user/tea.md" }),
  isError: z.boolean().describe("Whether the command was refused, and changed nothing"),
});
export type MemoryResult = z.infer<typeof MemoryResult>;
