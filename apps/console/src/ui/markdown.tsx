import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { memo } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";
import { markdownBlocks } from "./markdown-blocks.ts";

const languages = {
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

const plugins: Options = {
  remarkPlugins: [remarkGfm],
  rehypePlugins: [[rehypeHighlight, { languages }]],
};

// react-markdown shows HTML as text, and allows only safe protocols in links.
const components: Components = {
  // The page has a heading above those of the text.
  h1: "h2",
  h2: "h3",
  h3: "h4",
  h4: "h5",
  h5: "h6",
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // A picture would be a request to another server, made as soon as the text is shown.
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt === undefined || alt === "" ? "Picture" : alt}
    </a>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className="overflow-x-auto" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

const Block = memo(function Block({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown {...plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

/** An untrusted Markdown text. Of a text that grows, only the last block is rendered again. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose-parley">
      {markdownBlocks(text).map((block, index) => (
        // Blocks are only added at the end.
        <Block key={index} text={block} />
      ))}
    </div>
  );
});
