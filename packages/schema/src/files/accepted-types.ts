// The files that are accepted. It needs no zod: the command line and the console read it too.

/** Kinds of documents whose text is extracted in a process of its own. */
export const documentKinds = ["pdf", "docx", "xlsx", "pptx", "rtf"] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** How a model gets a file: its text, what a reader would see of a page, the text of a document, or not as text. */
export type FileReading = "text" | "page" | DocumentKind | "image" | "audio" | "stored";

/** How the content of a file begins. */
export type Signature =
  | "pdf"
  | "zip"
  | "ole"
  | "rtf"
  | "png"
  | "jpeg"
  | "gif"
  | "webp"
  | "mp3"
  | "mp4"
  | "ogg"
  | "wav"
  | "webm";

/** Types of files that are treated alike. */
export interface AcceptedTypes {
  /** What people call them. */
  readonly name: string;
  /** MIME types without parameters; `text/*` is every other type of text. */
  readonly types: readonly string[];
  readonly extensions: readonly string[];
  /** Bytes of the largest; null for what the server's setting allows. */
  readonly maxBytes: number | null;
  /** One of which the content must have; none for what is not looked at. */
  readonly signatures: readonly Signature[];
  readonly reading: FileReading;
}

const MIB = 1_048_576;
const office = "application/vnd.openxmlformats-officedocument";
/** Today's Office files are zip archives; encrypted and older ones are not, and are named when they are read. */
const officeSignatures = ["zip", "ole"] as const;
const document = { maxBytes: 50 * MIB } as const;
const image = { maxBytes: 20 * MIB, reading: "image" } as const;
const audio = { maxBytes: 100 * MIB, reading: "audio" } as const;
const unseen = { maxBytes: null, signatures: [] } as const;

/** Every type of file that can be announced. */
export const acceptedTypes: readonly AcceptedTypes[] = [
  {
    name: "PDF",
    types: ["application/pdf"],
    extensions: [".pdf"],
    ...document,
    signatures: ["pdf"],
    reading: "pdf",
  },
  {
    name: "Word",
    // Clients announce both extensions as either type.
    types: [`${office}.wordprocessingml.document`, "application/msword"],
    extensions: [".docx", ".doc"],
    ...document,
    signatures: officeSignatures,
    reading: "docx",
  },
  {
    name: "Excel",
    types: [`${office}.spreadsheetml.sheet`, "application/vnd.ms-excel"],
    extensions: [".xlsx", ".xls"],
    ...document,
    signatures: officeSignatures,
    reading: "xlsx",
  },
  {
    name: "PowerPoint",
    types: [`${office}.presentationml.presentation`, "application/vnd.ms-powerpoint"],
    extensions: [".pptx", ".ppt"],
    ...document,
    signatures: officeSignatures,
    reading: "pptx",
  },
  {
    name: "RTF",
    types: ["text/rtf", "application/rtf"],
    extensions: [".rtf"],
    ...document,
    signatures: ["rtf"],
    reading: "rtf",
  },
  {
    name: "HTML",
    types: ["text/html", "application/xhtml+xml"],
    extensions: [".html", ".htm", ".xhtml"],
    ...unseen,
    reading: "page",
  },
  {
    name: "CSV and other text",
    types: [
      "text/*",
      "application/csv",
      "application/javascript",
      "application/json",
      "application/sql",
      "application/toml",
      "application/vnd.dust.section.json",
      "application/x-ndjson",
      "application/x-sh",
      "application/x-yaml",
      "application/xml",
      "application/yaml",
      "message/rfc822",
    ],
    extensions: [".txt", ".md", ".csv", ".tsv", ".json", ".xml", ".yaml", ".log", ".eml"],
    ...unseen,
    reading: "text",
  },
  {
    name: "PNG",
    types: ["image/png"],
    extensions: [".png"],
    ...image,
    signatures: ["png"],
  },
  {
    name: "JPEG",
    types: ["image/jpeg"],
    extensions: [".jpg", ".jpeg"],
    ...image,
    signatures: ["jpeg"],
  },
  {
    name: "GIF",
    types: ["image/gif"],
    extensions: [".gif"],
    ...image,
    signatures: ["gif"],
  },
  {
    name: "WebP",
    types: ["image/webp"],
    extensions: [".webp"],
    ...image,
    signatures: ["webp"],
  },
  {
    name: "MP3",
    // Clients announce files that end in .mp4 as this type too.
    types: ["audio/mpeg", "audio/mp3"],
    extensions: [".mp3", ".mp4"],
    ...audio,
    signatures: ["mp3", "mp4"],
  },
  {
    name: "M4A",
    types: ["audio/x-m4a", "audio/mp4"],
    extensions: [".m4a", ".mp4"],
    ...audio,
    signatures: ["mp4"],
  },
  {
    name: "Ogg",
    types: ["audio/ogg"],
    extensions: [".ogg"],
    ...audio,
    signatures: ["ogg"],
  },
  {
    name: "WAV",
    types: ["audio/wav", "audio/x-wav"],
    extensions: [".wav"],
    ...audio,
    signatures: ["wav"],
  },
  {
    name: "WebM",
    types: ["audio/webm"],
    extensions: [".webm"],
    ...audio,
    signatures: ["webm"],
  },
  {
    name: "Other files",
    types: [
      "application/octet-stream",
      "application/zip",
      "application/vnd.google-apps.document",
      "application/vnd.google-apps.presentation",
      "application/vnd.google-apps.spreadsheet",
      "image/svg+xml",
    ],
    extensions: [],
    ...unseen,
    reading: "stored",
  },
];

const byType = new Map(acceptedTypes.flatMap((row) => row.types.map((type) => [type, row])));

/** A MIME type without its parameters, in lower case. */
export function essenceOf(contentType: string): string {
  const [essence = ""] = contentType.split(";", 1);
  return essence.trim().toLowerCase();
}

/** The row of a MIME type, with or without parameters; undefined for one that is not accepted. */
export function acceptedTypeOf(contentType: string): AcceptedTypes | undefined {
  const essence = essenceOf(contentType);
  return byType.get(essence) ?? (essence.startsWith("text/") ? byType.get("text/*") : undefined);
}

/** The type under which a file is announced that may have this one: that of any file, if it is not accepted. */
export function announcedType(contentType: string): string {
  return acceptedTypeOf(contentType) === undefined ? "application/octet-stream" : contentType;
}

/** The kind of document that files of the type are; undefined for all others. */
export function documentKindOf(contentType: string): DocumentKind | undefined {
  const reading = acceptedTypeOf(contentType)?.reading;
  return documentKinds.find((kind) => kind === reading);
}
