import * as z from "zod";
import { Milliseconds, optional, Reference, ShortText, text } from "../parsing/text.ts";
import { FragmentContext, MessageContext } from "./message-contexts.ts";

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;

/** A piece of context that comes with a conversation: inline text, a file, or a node. */
export const CreateContentFragment = z
  .object({
    title: ShortText.min(1).describe("Title of the fragment").meta({ example: "Opening hours" }),
    content: optional(text(512 * 1024))
      .describe("Inline text; needs contentType")
      .meta({ example: "We open at nine." }),
    contentType: optional(
      ShortText.regex(MIME_TYPE, { error: "must be a MIME type such as text/plain" }),
    )
      .describe("MIME type of the inline text")
      .meta({ example: "text/plain" }),
    fileId: optional(Reference).describe(
      "An uploaded file; takes precedence over the other sources",
    ),
    nodeId: optional(Reference).describe("A node; needs nodeDataSourceViewId"),
    nodeDataSourceViewId: optional(Reference).describe("The data source view of the node"),
    url: optional(text(2048)).describe("Origin of the content"),
    path: optional(text(2048)).describe("Path of the content"),
    processedPath: optional(text(2048)).describe("Path of the processed content"),
    skipFileProcessing: optional(z.boolean()).describe("Whether to leave the file unprocessed"),
    context: optional(FragmentContext).describe("Who added the fragment"),
  })
  .refine(
    (fragment) =>
      fragment.fileId !== undefined ||
      (fragment.nodeId !== undefined && fragment.nodeDataSourceViewId !== undefined) ||
      (fragment.content !== undefined && fragment.contentType !== undefined),
    {
      error: "must have content with contentType, or fileId, or nodeId with nodeDataSourceViewId",
    },
  );
export type CreateContentFragment = z.output<typeof CreateContentFragment>;

const shared = {
  type: z.literal("content_fragment").describe("Kind of message"),
  id: z.int().describe("Number of the message").meta({ example: 3 }),
  sId: z.string().describe("Id of the message").meta({ example: "Cf1mN6pQ0r" }),
  created: Milliseconds.describe("When the fragment was added"),
  visibility: z.enum(["visible", "deleted"]).describe("Whether the message is shown"),
  version: z.int().describe("Number of the version, from 0").meta({ example: 0 }),
  sourceUrl: z.string().nullable().describe("Origin of the content"),
  title: z.string().describe("Title of the fragment").meta({ example: "Opening hours" }),
  contentType: z.string().describe("MIME type of the content").meta({ example: "text/plain" }),
  context: MessageContext.describe("Who added the fragment"),
  contentFragmentId: z
    .string()
    .describe("Id of the fragment, the same in all its versions")
    .meta({ example: "Cf1mN6pQ0r" }),
  contentFragmentVersion: z.enum(["latest", "superseded"]).describe("Whether it is the newest"),
  expiredReason: z.null().describe("Always null"),
  path: z.string().optional().describe("Path of the content, as it was sent"),
  processedPath: z.string().optional().describe("Path of the processed content, as it was sent"),
  skipFileProcessing: z.boolean().optional().describe("As it was sent"),
};

const FileContentFragment = z.object({
  ...shared,
  contentFragmentType: z.literal("file").describe("The content is a file"),
  fileId: z.string().nullable().describe("Id of the file"),
  snippet: z
    .string()
    .nullable()
    .describe("Beginning of the text")
    .meta({ example: "We open at nine." }),
  generatedTables: z.array(z.unknown()).describe("Always empty"),
  textUrl: z
    .string()
    .describe("Absolute URL of the text; file_not_found after the file is deleted")
    .meta({ example: "https://parley.test/api/v1/w/Ab3dE5fG7h/files/fil_Zk7Qm2Lx9C" }),
  textBytes: z
    .int()
    .nullable()
    .describe("Size of the text in bytes of UTF-8")
    .meta({ example: 16 }),
  sourceProvider: z.null().describe("Always null"),
  sourceIcon: z.null().describe("Always null"),
  contentNodeData: z.null().describe("Always null: the content is not a node"),
});

const nodeShape = {
  nodeId: z.string().describe("Id of the node"),
  nodeDataSourceViewId: z.string().describe("The data source view of the node"),
  nodeType: z.enum(["document", "table", "folder"]).describe("Kind of node"),
};

/** A node of a data source view. */
const ContentNode = z.object({
  ...nodeShape,
  provider: z.string().nullable().describe("Provider of the data source"),
  spaceName: z.string().describe("Name of the node's space"),
});
export type ContentNode = z.infer<typeof ContentNode>;

const NodeContentFragment = z.object({
  ...shared,
  contentFragmentType: z.literal("content_node").describe("The content is a node"),
  ...nodeShape,
  contentNodeData: ContentNode.describe("The node"),
  fileId: z.null().describe("Always null: the content is not a file"),
  textUrl: z.null().describe("Always null: the content is not a file"),
  textBytes: z.null().describe("Always null: the content is not a file"),
});

/** A content fragment of a conversation. */
export const ContentFragment = z.discriminatedUnion("contentFragmentType", [
  FileContentFragment,
  NodeContentFragment,
]);
export type ContentFragment = z.infer<typeof ContentFragment>;
