import { createHash } from "node:crypto";
import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";

// What `conversation.url` leads to. It reads nothing, so it needs no key and says nothing about whether
// there is such a conversation.

interface Ids {
  readonly wId: string;
  readonly cId: string;
}

/** Other ids are unknown routes, so that nothing else comes into the page. */
export const PAGE_ID = "^[A-Za-z0-9_-]{1,64}$";
const isId = new RegExp(PAGE_ID);

const style = `body{max-width:44rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;background:#f2f2f5;color:#16161a}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#eee}a{color:#9db2ff}}`;

const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

/** Serves the page at the URL of every conversation. */
export function registerConversationPage(app: FastifyInstance, core: Core): void {
  app.get<{ Params: Ids }>("/w/:wId/conversation/:cId", {
    exposeHeadRoute: true,
    handler: async ({ params }, reply) => {
      if (!isId.test(params.wId) || !isId.test(params.cId)) {
        throw new ParleyError("not_found", "There is no such route");
      }
      return reply
        .header("content-security-policy", pagePolicy)
        .type("text/html; charset=utf-8")
        .send(renderPage(core.publicUrl, params));
    },
  });
}

function renderPage(publicUrl: string, { wId, cId }: Ids): string {
  const url = escapeHtml(publicUrl);
  const conversation = `${url}/api/v1/w/${wId}/assistant/conversations/${cId}`;
  const authorization = '-H "Authorization: Bearer $KEY"';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Parley: a conversation</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>A conversation on Parley</h1>
<p>Parley is a server for conversational agents. This is the address of one of its conversations, which are
read over its API. The page is the same for every address: it does not say whether there is such a
conversation.</p>
<p>With a key of the workspace in <code>KEY</code>, read the conversation:</p>
<pre>curl -s "${conversation}" ${authorization}</pre>
<p>or follow what happens in it:</p>
<pre>curl -sNL "${conversation}/events" ${authorization}</pre>
<p>The <a href="${url}/docs">reference</a> describes every call, with a form to try it.</p>
</body>
</html>
`;
}

/** For text, and for attributes in quotes. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
