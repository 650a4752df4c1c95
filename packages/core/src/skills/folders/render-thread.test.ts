import { expect, it } from "vitest";
import { renderInstructions } from "./render-thread.ts";

it.for<[markdown: string, html: string]>([
  ["# Do *it*", "<h1>Do <em>it</em></h1>"],
  ["1. a\n2. [b](https://x.test/)", '<a href="https://x.test/">b</a>'],
  ["```python\na < b\n```", '<pre><code class="language-python">a &lt; b\n</code></pre>'],
  ["|a|b|\n|-|-|\n|c|d|", "<td>c</td>"],
])("renders %j", ([markdown, html]) => {
  expect(renderInstructions(markdown)).toContain(html);
});

it.for([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![x](https://x.test/pixel.png)",
  "<p onclick='alert(1)' style='position:fixed'>a</p>",
  "[a](javascript:alert(1)) <a href='java&#10;script:alert(1)'>b</a>",
  "<a href='data:text/html,<script>alert(1)</script>'>a</a> <a href='//x.test'>b</a>",
  "<iframe srcdoc='x'></iframe><svg onload=alert(1)><style>*{}</style><form action=x><input>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
  "<code class='language-a b' id=x>a</code>",
])("leaves nothing in %j that runs, loads or covers something", (markdown) => {
  const tags = renderInstructions(markdown).match(/<[^>]*>/g) ?? [];
  const harmless = /^<\/?(?:p|a|code)(?: class="language-a")?>$/;
  expect(tags.filter((tag) => !harmless.test(tag))).toEqual([]);
});

it("refuses a long link that is repeated before it is written out", () => {
  const repeated = `[a]: ${"x".repeat(400_000)}\n\n${"[a] ".repeat(20_000)}`;
  expect(() => renderInstructions(repeated)).toThrow("at most 4194304 characters of HTML");
});
