import { type Core, referenceTo, storeCallFiles, type StoredToolResult } from "@parley/core";

/** Files that a call may make; further ones are left out. */
const MAX_FILES = 16;

/** A file within the content of a result. */
interface EmbeddedFile {
  readonly base64: string;
  readonly contentType: string;
  readonly name: string | undefined;
}

/** Stores the images, sounds and bytes of a result as files, and puts references in their places. */
export async function takeFiles(
  core: Core,
  { invocationId, content }: { invocationId: string; content: readonly unknown[] },
): Promise<Pick<StoredToolResult, "content" | "generatedFiles">> {
  const found = content.map(findFile);
  const files = found
    .filter((file) => file !== undefined)
    .slice(0, MAX_FILES)
    .map(({ base64, contentType, name }, index) => ({
      name: name ?? `file-${index + 1}.${extensionOf(contentType)}`,
      contentType,
      bytes: Buffer.from(base64, "base64"),
    }));
  const generatedFiles = await storeCallFiles(core, { invocationId, files });
  let taken = 0;
  const references = content.map((part, index) => {
    if (found[index] === undefined) return part;
    const file = generatedFiles[taken++];
    if (file === undefined) return { type: "text", text: "(A file that was not stored)" };
    return referenceTo(file);
  });
  return { content: references, generatedFiles };
}

function findFile(part: unknown): EmbeddedFile | undefined {
  const { type, data, mimeType, resource } = part as Readonly<Record<string, unknown>>;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return { base64: data, contentType: typeOf(mimeType), name: undefined };
  }
  if (type !== "resource" || typeof resource !== "object" || resource === null) return undefined;
  const { blob, uri, mimeType: ofBlob } = resource as Readonly<Record<string, unknown>>;
  if (typeof blob !== "string") return undefined;
  return { base64: blob, contentType: typeOf(ofBlob), name: nameOf(uri) };
}

function typeOf(mimeType: unknown): string {
  const isType = typeof mimeType === "string" && /^[\w.+-]{1,64}\/[\w.+-]{1,128}$/.test(mimeType);
  return isType ? mimeType.toLowerCase() : "application/octet-stream";
}

/** The last part of a URI, as the name of a file. */
function nameOf(uri: unknown): string | undefined {
  const last = typeof uri === "string" ? uri.split(/[/\\?#]/).findLast((part) => part !== "") : "";
  return last?.replaceAll(/[^\w. -]/g, "_").slice(0, 128) || undefined;
}

function extensionOf(contentType: string): string {
  const [, subtype = ""] = contentType.split("/");
  return subtype.replaceAll(/\+.*$|[^a-z0-9]/g, "").slice(0, 10) || "bin";
}
