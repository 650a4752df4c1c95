import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";

const markdown = new MarkdownIt({ html: true });

/**
 * Renders a skill's instructions to HTML that a page can show as it is: no scripts, styles, frames,
 * forms and images, and links only to the web and to mail addresses.
 */
export function renderInstructions(instructions: string): string {
  return sanitizeHtml(markdown.render(instructions), {
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    allowedAttributes: { a: ["href", "title"], ol: ["start"], th: ["colspan"], td: ["colspan"] },
    // What Markdown makes of a block of code in a named language.
    allowedClasses: { code: [/^language-[\w+#-]{1,40}$/] },
    nestingLimit: 64,
  });
}
