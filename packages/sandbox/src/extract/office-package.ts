import type { DocumentKind } from "@parley/schema";
import path from "node:path/posix";
import { type Archive, openArchive } from "./archive.ts";
import { DocumentFault } from "./document-fault.ts";
import type { ExtractionQuestion } from "./question.ts";
import { attributeOf } from "./read-xml.ts";

/** A part that another part refers to. */
export interface Related {
  readonly id: string;
  /** The last word of its type, such as `worksheet`. */
  readonly type: string;
  readonly path: string;
}

/** Relations of a part: a presentation has one for each slide. */
const MAX_RELATED = 20_000;

/** The parts that a part refers to, inside of the archive. */
export async function readRelated(archive: Archive, part: string): Promise<Related[]> {
  const related: Related[] = [];
  const file = path.join(path.dirname(part), "_rels", `${path.basename(part)}.rels`);
  await archive.readPart(file, {
    open: (name, attributes) => {
      if (name !== "Relationship" || attributes["TargetMode"] === "External") return;
      if (related.length >= MAX_RELATED) throw new DocumentFault("too_complex");
      const { Id: id = "", Type: type = "", Target: target = "" } = attributes;
      const place = target.startsWith("/")
        ? target.slice(1)
        : path.join(path.dirname(part), target);
      related.push({ id, type: type.slice(type.lastIndexOf("/") + 1), path: place });
    },
  });
  return related;
}

/** Folders of the main part, by what the document then is. */
const folders: readonly (readonly [folder: string, kind: DocumentKind, name: string])[] = [
  ["word/", "docx", "a Word document"],
  ["xl/", "xlsx", "an Excel workbook"],
  ["ppt/", "pptx", "a PowerPoint presentation"],
];

/** Opens an Office document of a kind, and finds its main part. Throws `DocumentFault` for another kind. */
export async function openOffice(
  bytes: Uint8Array,
  question: ExtractionQuestion,
): Promise<{ archive: Archive; main: string }> {
  const archive = await openArchive(bytes, question);
  const top = await readRelated(archive, "");
  const main = top.find(({ type }) => type === "officeDocument")?.path;
  const found = folders.find(([folder]) => main?.startsWith(folder));
  if (main === undefined || !archive.has(main) || found?.[1] !== question.kind) {
    throw new DocumentFault("wrong_type", { is: found?.[2] ?? "a zip archive" });
  }
  return { archive, main };
}

/** The ids of elements of a name in a part, in order: of the sheets of a workbook, the slides of a presentation. */
export async function readReferences(
  archive: Archive,
  part: string,
  element: string,
): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = [];
  await archive.readPart(part, {
    open: (name, attributes) => {
      if (name !== element) return;
      if (found.length >= MAX_RELATED) throw new DocumentFault("too_many_pages");
      const id = Object.entries(attributes).find(([full]) => full.endsWith(":id"))?.[1] ?? "";
      found.push({ id, name: attributeOf(attributes, "name") ?? "" });
    },
  });
  return found;
}
