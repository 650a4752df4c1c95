// Runs in a thread: see untrusted/thread.ts.
import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";

/** Bound on the HTML of instructions. */
const MAX_HTML_CHARACTERS = 4 * 1024 * 1024;

const markdown = new MarkdownIt({ html: true });

/**
 * Renders a skill's instructions to HTML that is safe in a page: no scripts, styles, frames, forms and
 * images, and links only to the web and to mail addresses. Throws `RangeError` if the HTML is too long.
 * The worst megabyte takes over 20 s: run it in a thread with a deadline.
 */
export function renderInstructions(instructions: string): string {
  const environment = {};
  const tokens = markdown.parse(instructions, environment);
  // A long definition with a hundred thousand references does not fit into memory.
  requireShort(tokens.reduce((sum, token) => sum + charactersOf(token), 0));
  const html = sanitizeHtml(markdown.renderer.render(tokens, markdown.options, environment), {
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    allowedAttributes: { a: ["href", "title"], ol: ["start"], th: ["colspan"], td: ["colspan"] },
    // Markdown's class for a block of code in a named language.
    allowedClasses: { code: [/^language-[\w+#-]{1,40}$/] },
    nestingLimit: 64,
  });
  requireShort(html.length);
  return html;
}

type Token = ReturnType<typeof markdown.parse>[number];

function charactersOf({ content, attrs, children }: Token): number {
  // A token with children is rendered from them.
  const own = children === null ? content.length : 0;
  const ofAttributes = (attrs ?? []).reduce((sum, [, value]) => sum + String(value).length, 0);
  return (children ?? []).reduce((sum, child) => sum + charactersOf(child), own + ofAttributes);
}

function requireShort(characters: number): void {
  if (characters > MAX_HTML_CHARACTERS) {
    throw new RangeError(`must give at most ${MAX_HTML_CHARACTERS} characters of HTML`);
  }
}

/** The HTML of a text or its fault, and the time that rendering took. */
export type Rendered = { readonly tookMs: number } & (
  | { readonly html: string }
  | { readonly fault: string }
);

/** Renders one text of a skill's instructions. */
export function render(instructions: string): Rendered {
  const startedAt = performance.now();
  const tookMs = () => performance.now() - startedAt;
  try {
    const html = renderInstructions(instructions);
    return { html, tookMs: tookMs() };
  } catch (error) {
    if (error instanceof RangeError) return { fault: error.message, tookMs: tookMs() };
    throw error;
  }
}
