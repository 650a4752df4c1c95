/** A part of a form, as it is written. */
export interface Part {
  readonly headers: readonly string[];
  readonly body: string;
}

const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const named = disposition('name="file"; filename="a.txt"');
const plain = "Content-Type: text/plain";
/** The part that is announced by default. */
export const right: Part = { headers: [named, plain], body: "hello" };

/** Writes a form, to be cut and changed. */
export function writeForm(parts: readonly Part[], boundary = "b"): string {
  const written = parts.map(
    ({ headers, body }) => `--${boundary}\r\n${headers.join("\r\n")}\r\n\r\n${body}\r\n`,
  );
  return `${written.join("")}--${boundary}--\r\n`;
}

/** A form that is refused. */
export interface BadForm {
  readonly name: string;
  readonly body: string;
  readonly contentType?: string;
  /** What the message says. */
  readonly says: string | RegExp;
}

/** The content type of a form as `writeForm` writes it. */
export const formType = "multipart/form-data; boundary=b";
/** Forms that do not upload a file of five bytes of plain text. */
export const badForms: BadForm[] = [
  { name: "no parts", body: writeForm([]), says: "file: is missing" },
  { name: "an empty body", body: "", says: "file: is missing" },
  {
    name: "no file",
    body: writeForm([{ headers: [disposition('name="x"')], body: "hello" }]),
    says: "file: is missing",
  },
  { name: "two files", body: writeForm([right, right]), says: "file: must be one file" },
  { name: "three files", body: writeForm([right, right, right]), says: "file: must be one file" },
  {
    name: "another file beside it",
    body: writeForm([
      right,
      { ...right, headers: [disposition('name="other"; filename="b"'), plain] },
    ]),
    says: "other: not expected here",
  },
  {
    name: "the wrong field",
    body: writeForm([{ ...right, headers: [disposition('name="upload"; filename="b"'), plain] }]),
    says: "upload: not expected here",
  },
  {
    name: "a file without a field",
    body: writeForm([{ ...right, headers: [disposition('filename="b"'), plain] }]),
    says: "not expected here: send the file",
  },
  {
    name: "a field in place of the file",
    body: writeForm([{ ...right, headers: [disposition('name="file"'), plain] }]),
    says: "file: must be a file, with a file name",
  },
  {
    name: "a field named like a prototype's",
    body: writeForm([{ ...right, headers: [disposition('name="__proto__"; filename="b"')] }]),
    says: "malformed form",
  },
  {
    name: "another type",
    body: writeForm([{ ...right, headers: [named, "Content-Type: text/html"] }]),
    says: "file: must have the announced content type, text/plain, not text/html",
  },
  {
    name: "an empty file",
    body: writeForm([{ ...right, body: "" }]),
    says: "file: must have the announced 5 bytes, but has 0",
  },
  {
    name: "a byte less",
    body: writeForm([{ ...right, body: "hell" }]),
    says: "file: must have the announced 5 bytes, but has 4",
  },
  {
    name: "a byte more",
    body: writeForm([{ ...right, body: "hello!" }]),
    says: "file: must have the announced 5 bytes, but has more",
  },
  {
    name: "a megabyte more",
    body: writeForm([{ ...right, body: "x".repeat(2 ** 20) }]),
    // Whichever bound is noticed first.
    says: /but has more|must be at most 65541 bytes/,
  },
  { name: "another boundary", body: writeForm([right], "c"), says: "malformed form" },
  {
    name: "no boundary",
    body: writeForm([right]),
    contentType: "multipart/form-data",
    says: "malformed form",
  },
  {
    name: "an end in the middle of the file",
    body: writeForm([right]).slice(0, -14),
    says: "malformed form",
  },
  {
    name: "an end in the middle of a header",
    body: writeForm([right]).slice(0, 20),
    says: "malformed form",
  },
  {
    name: "an end before the last boundary",
    body: writeForm([right]).slice(0, -6),
    says: "malformed form",
  },
  {
    name: "headers of a part of 16 KiB",
    body: writeForm([{ ...right, headers: [`X: ${"x".repeat(16_384)}`, ...right.headers] }]),
    says: "file: is missing",
  },
  {
    name: "a hundred headers of a part",
    body: writeForm([
      {
        ...right,
        headers: [...Array.from({ length: 100 }, (_, index) => `X${index}: x`), ...right.headers],
      },
    ]),
    says: "file: is missing",
  },
  {
    name: "a line break in its file name",
    body: writeForm([
      {
        ...right,
        headers: [disposition("name=\"file\"; filename*=UTF-8''a%0D%0AX: y"), plain],
      },
    ]),
    says: "file: is missing",
  },
  {
    name: "no Content-Disposition",
    body: writeForm([{ ...right, headers: [plain] }]),
    says: "file: is missing",
  },
  {
    name: "a hundred fields",
    body: writeForm([
      ...Array.from({ length: 100 }, () => ({ headers: [disposition('name="x"')], body: "x" })),
      right,
    ]),
    says: "malformed form",
  },
  {
    name: "a megabyte before the file",
    body: "x".repeat(2 ** 20) + writeForm([right]),
    says: "must be at most",
  },
  {
    name: "a megabyte behind the file",
    body: writeForm([right]) + "x".repeat(2 ** 20),
    says: "must be at most",
  },
  {
    name: "JSON",
    body: "{}",
    contentType: "application/json",
    says: "the content type must be multipart/form-data",
  },
  {
    name: "bytes without a form",
    body: "hello",
    contentType: "text/plain",
    says: "the content type must be multipart/form-data",
  },
  {
    name: "a content type that is none",
    body: "hello",
    contentType: "nonsense",
    says: "the content type must be multipart/form-data",
  },
];

/** Forms with something that is ignored. */
export const usableForms = [
  { name: "a field beside it", parts: [{ headers: [disposition('name="x"')], body: "1" }, right] },
  { name: "a field behind it", parts: [right, { headers: [disposition('name="x"')], body: "1" }] },
  {
    name: "a path in its file name",
    parts: [
      { ...right, headers: [disposition('name="file"; filename="../../etc/passwd"'), plain] },
    ],
  },
  {
    name: "parameters of its type",
    parts: [{ ...right, headers: [named, "Content-Type: Text/Plain; charset=utf-8"] }],
  },
];
