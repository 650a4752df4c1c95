import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ProviderSaid } from "./provider-said.tsx";

it.each(["req_1", null])(
  "a provider's message is shown as text, with the request %s",
  (requestId) => {
    const html = renderToStaticMarkup(
      createElement(ProviderSaid, { message: "<b>No</b> model", requestId }),
    );
    expect(html).toContain("&lt;b&gt;No&lt;/b&gt; model");
    expect(/request <code[^>]*>(\w+)</.exec(html)?.[1] ?? null).toBe(requestId);
  },
);
