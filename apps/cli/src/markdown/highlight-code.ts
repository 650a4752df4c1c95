import { styleText } from "node:util";
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** More than this is shown without colours: a block is highlighted again whenever it grows. */
const MAX_LENGTH = 32_768;

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree["children"][number];

const formats: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  "hljs-addition": "green",
  "hljs-attr": "cyan",
  "hljs-attribute": "cyan",
  "hljs-built_in": "cyan",
  "hljs-comment": "dim",
  "hljs-deletion": "red",
  "hljs-keyword": "magenta",
  "hljs-literal": "yellow",
  "hljs-meta": "dim",
  "hljs-name": "blue",
  "hljs-number": "yellow",
  "hljs-regexp": "green",
  "hljs-section": "blue",
  "hljs-selector-class": "blue",
  "hljs-selector-tag": "magenta",
  "hljs-string": "green",
  "hljs-symbol": "yellow",
  "hljs-tag": "blue",
  "hljs-title": "blue",
  "hljs-type": "cyan",
};

/** The lines of a code with colours, if the language is known. */
export function highlightCode(code: string, language: string): string[] {
  if (code.length > MAX_LENGTH || !lowlight.registered(language)) return code.split("\n");
  return paint(lowlight.highlight(language, code)).split("\n");
}

function paint(node: Tree | Node): string {
  if (node.type === "text") return node.value;
  if (!("children" in node)) return "";
  const text = node.children.map(paint).join("");
  const names = "properties" in node ? node.properties["className"] : undefined;
  const [name] = Array.isArray(names) ? names : [];
  const format = formats[String(name)];
  if (format === undefined) return text;
  // A style ends with its line: lines are cut and shown one by one.
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : styleText(format, line, { validateStream: false })))
    .join("\n");
}
