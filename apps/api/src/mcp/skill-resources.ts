import { createHash } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, type Resource } from "@modelcontextprotocol/server";
import type { SkillReadResult, SkillSource } from "@modelcontextprotocol/server/ext/skills";
import {
  findListedSkill,
  listSkillPage,
  openFile,
  type SkillFile,
  type SkillWithFiles,
} from "@parley/core";
import { isAllowed, type McpExchange } from "./exchange.ts";
import { logged } from "./logged.ts";
import { invalidCursor } from "./pages.ts";

const PAGE_SIZE = 50;
const MANIFEST = "SKILL.md";
/** Bytes of a file in a response; a larger one is read over REST. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** What the Agent Skills format allows. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

type Entry = NonNullable<Awaited<ReturnType<SkillSource["get"]>>>;

/** A skill as a folder of resources. */
interface Folder {
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly title: string;
  readonly manifest: { readonly uri: string; readonly text: string };
  readonly files: readonly (SkillFile & { readonly uri: string })[];
}

function toFolder({ skill, files }: SkillWithFiles): Folder {
  // By the format, the name is the last segment of the folder.
  const name = slugOf(skill.name);
  const root = `skill://${skill.sId}/${name}/`;
  const described = skill.agentFacingDescription.trim() || skill.name;
  const description = described.slice(0, MAX_DESCRIPTION).toWellFormed();
  const frontmatter = { name, description };
  const text =
    `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n` +
    `${skill.instructions ?? ""}\n`;
  const uris = new Set([root + MANIFEST]);
  return {
    frontmatter,
    title: skill.name,
    manifest: { uri: root + MANIFEST, text },
    files: files.flatMap((file) => {
      const uri = root + pathOf(file.fileName);
      // Of several with one name, the first is read.
      if (uris.has(uri)) return [];
      uris.add(uri);
      return { ...file, uri };
    }),
  };
}

function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-");
  return slug.replace(/^-/, "").slice(0, MAX_NAME).replace(/-$/, "") || "skill";
}

/** The path of a file in a URI; parts that would lead out of the folder are left out. */
function pathOf(fileName: string): string {
  return fileName
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map((part) => encodeURIComponent(part))
    .join("/");
}

function toEntry({ frontmatter, manifest, files }: Folder): Entry {
  const bytes = Buffer.from(manifest.text);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return {
    uri: manifest.uri,
    frontmatter,
    resources: [
      { uri: manifest.uri, digest: `sha256:${digest}`, size: bytes.length },
      ...files.map(({ uri, sha256, sizeBytes }) => {
        return { uri, digest: `sha256:${sha256}`, size: sizeBytes };
      }),
    ],
  };
}

function toResources({ frontmatter, title, manifest, files }: Folder): Resource[] {
  const { description } = frontmatter;
  return [
    { uri: manifest.uri, name: frontmatter.name, title, description, mimeType: "text/markdown" },
    ...files.map(({ uri, fileName, contentType, sizeBytes }) => {
      return { uri, name: fileName, mimeType: contentType, size: sizeBytes };
    }),
  ];
}

async function listFolders(exchange: McpExchange, cursor: string | undefined) {
  if (!isAllowed(exchange, "skills.list")) return { folders: [] };
  if (cursor !== undefined && !/^[\w-]{1,64}$/.test(cursor)) throw invalidCursor();
  const page = await listSkillPage(exchange.context, { lastValue: cursor, limit: PAGE_SIZE });
  const nextCursor = page.hasMore ? page.lastValue : null;
  return { folders: page.skills.map(toFolder), ...(nextCursor !== null && { nextCursor }) };
}

/** The folder of a skill that the caller reaches, by the URI of one of its files. */
async function findFolder(exchange: McpExchange, uri: string): Promise<Folder | undefined> {
  const [, sId] = /^skill:\/\/([\w-]{1,64})\//.exec(uri) ?? [];
  if (sId === undefined || !isAllowed(exchange, "skills.list")) return undefined;
  const found = await findListedSkill(exchange.context, sId);
  return found && toFolder(found);
}

/** Lists the skills and their files as resources, a page of skills at a time. */
export async function listResources(
  exchange: McpExchange,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { folders, ...end } = await listFolders(exchange, cursor);
  return { resources: folders.flatMap(toResources), ...end };
}

/** The skills that the caller reaches, for the skills extension. */
export function createSkillSource(exchange: McpExchange): SkillSource {
  return {
    list: ({ cursor }) =>
      logged(exchange, "skills/list", async () => {
        const { folders, ...end } = await listFolders(exchange, cursor);
        return { skills: folders.map(toEntry), ...end };
      }),
    get: (uri) =>
      logged(exchange, "skills/get", async () => {
        const folder = await findFolder(exchange, uri);
        return folder?.manifest.uri === uri ? toEntry(folder) : undefined;
      }),
    read: (uri) => logged(exchange, "resources/read", () => readResource(exchange, uri)),
  };
}

async function readResource(
  exchange: McpExchange,
  uri: string,
): Promise<SkillReadResult | undefined> {
  const folder = await findFolder(exchange, uri);
  if (folder?.manifest.uri === uri)
    return { text: folder.manifest.text, mimeType: "text/markdown" };
  const file = folder?.files.find((one) => one.uri === uri);
  if (file === undefined) return undefined;
  const { fileId, sizeBytes, contentType: mimeType } = file;
  if (sizeBytes > MAX_FILE_BYTES) {
    const message = `The file ${fileId} has more than ${MAX_FILE_BYTES} bytes: read it over REST`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const opened = await openFile(exchange.context, { fileId });
  const bytes = Buffer.concat(await Array.fromAsync(opened.read(0, opened.sizeBytes)));
  const text = isText(mimeType) ? decode(bytes) : undefined;
  return text === undefined ? { bytes, mimeType } : { text, mimeType };
}

const isText = (mimeType: string) => /^(?:text\/|application\/json\b)/.test(mimeType);

/** Undefined if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
