import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";

/** Characters of HTML that instructions may give. */
export const MAX_HTML_CHARACTERS = 4 * 1024 * 1024;

const markdown = new MarkdownIt({ html: true });

/**
 * Renders a skill's instructions to HTML that a page can show as it is: no scripts, styles, frames,
 * forms and images, and links only to the web and to mail addresses. Throws `RangeError` where it
 * is too long. More than 20 s go by for the worst megabyte: only a thread that can be ended may run it.
 */
export function renderInstructions(instructions: string): string {
  const environment = {};
  const tokens = markdown.parse(instructions, environment);
  // A definition of half a megabyte that is referred to a hundred thousand times fits no memory.
  requireShort(tokens.reduce((sum, token) => sum + charactersOf(token), 0));
  const html = sanitizeHtml(markdown.renderer.render(tokens, markdown.options, environment), {
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    allowedAttributes: { a: ["href", "title"], ol: ["start"], th: ["colspan"], td: ["colspan"] },
    // What Markdown makes of a block of code in a named language.
    allowedClasses: { code: [/^language-[\w+#-]{1,40}$/] },
    nestingLimit: 64,
  });
  requireShort(html.length);
  return html;
}

type Token = ReturnType<typeof markdown.parse>[number];

function charactersOf({ content, attrs, children }: Token): number {
  // What has children is rendered from them.
  const own = children === null ? content.length : 0;
  const ofAttributes = (attrs ?? []).reduce((sum, [, value]) => sum + String(value).length, 0);
  return (children ?? []).reduce((sum, child) => sum + charactersOf(child), own + ofAttributes);
}

function requireShort(characters: number): void {
  if (characters > MAX_HTML_CHARACTERS) {
    throw new RangeError(`must give at most ${MAX_HTML_CHARACTERS} characters of HTML`);
  }
}
