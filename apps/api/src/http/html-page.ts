import { createHash } from "node:crypto";

const style = `body{max-width:44rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;background:#f2f2f5;color:#16161a}
button{font:inherit;padding:.5rem 1.5rem}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#eee}a{color:#9db2ff}}`;

/** The policy of pages without scripts; `formAction` is where their forms may be sent. */
export const pagePolicy = (formAction: "'none'" | "'self'"): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join(";");

/** A page of text. `body` is HTML: what others wrote in it was passed to `escapeHtml`. */
export const renderHtmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Parley: ${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

/** For text, and for attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
