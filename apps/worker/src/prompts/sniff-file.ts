/** The types that files are told apart by, with their first bytes; `?` stands for any byte. */
const signatures: readonly (readonly [contentType: string, beginning: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF????WEBP"],
  ["application/pdf", "%PDF-"],
  ["audio/wav", "RIFF????WAVE"],
  ["audio/mpeg", "ID3"],
  ["audio/mpeg", "\xff\xfb"],
  ["audio/mpeg", "\xff\xf3"],
  ["audio/mpeg", "\xff\xf2"],
];

/** The type that the first bytes of a file show; undefined for any other. */
export function sniffFile(beginning: Uint8Array): string | undefined {
  const found = signatures.find(([, signature]) =>
    Array.from(signature).every((sign, at) => sign === "?" || beginning[at] === sign.charCodeAt(0)),
  );
  return found?.[0];
}
