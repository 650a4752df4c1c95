import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import { escapeHtml, pagePolicy, renderHtmlPage } from "../http/html-page.ts";

// What `conversation.url` leads to. It reads nothing, so it needs no key and says nothing about whether
// there is such a conversation.

interface Ids {
  readonly wId: string;
  readonly cId: string;
}

/** Other ids are unknown routes, so that nothing else comes into the page. */
export const PAGE_ID = "^[A-Za-z0-9_-]{1,64}$";
const isId = new RegExp(PAGE_ID);

/** Serves the page at the URL of every conversation. */
export function registerConversationPage(app: FastifyInstance, core: Core): void {
  app.get<{ Params: Ids }>("/w/:wId/conversation/:cId", {
    exposeHeadRoute: true,
    handler: async ({ params }, reply) => {
      if (!isId.test(params.wId) || !isId.test(params.cId)) {
        throw new ParleyError("not_found", "No such route");
      }
      return reply
        .header("content-security-policy", pagePolicy("'none'"))
        .type("text/html; charset=utf-8")
        .send(renderPage(core.publicUrl, params));
    },
  });
}

function renderPage(publicUrl: string, { wId, cId }: Ids): string {
  const url = escapeHtml(publicUrl);
  const conversation = `${url}/api/v1/w/${wId}/assistant/conversations/${cId}`;
  const authorization = '-H "Authorization: Bearer $KEY"';
  return renderHtmlPage(
    "a conversation",
    `<h1>A conversation on Parley</h1>
<p><a href="${url}/conversations/${cId}">Open the conversation in the console</a>.</p>
<p>Parley is a server for conversational agents. This is the address of one of its conversations, which are
read over its API. The page is the same for every address: it does not say whether there is such a
conversation.</p>
<p>With a key of the workspace in <code>KEY</code>, read the conversation:</p>
<pre>curl -s "${conversation}" ${authorization}</pre>
<p>or follow what happens in it:</p>
<pre>curl -sNL "${conversation}/events" ${authorization}</pre>
<p>The <a href="${url}/docs/api">reference</a> describes every call, with a form to try it.</p>`,
  );
}
