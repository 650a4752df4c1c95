import type { AgentMessage } from "parley-client";

const isLink = (url: string): boolean => /^https?:\/\//i.test(url);

/** The parts of documents that an answer refers to, under the numbers that its text has. */
export function References({ citations = [] }: Pick<AgentMessage, "citations">) {
  if (citations.length === 0) return null;
  return (
    <section aria-label="References" className="grid gap-1 text-sm">
      <h4 className="text-muted">References</h4>
      <ol className="grid gap-1">
        {citations.map(({ reference, title, headings, dataSourceName, sourceUrl }) => (
          <li key={reference}>
            <span className="text-muted">[{reference}]</span>{" "}
            {sourceUrl !== null && isLink(sourceUrl) ? (
              <a
                href={sourceUrl}
                target="_blank"
                rel="noopener noreferrer"
                className="text-accent underline"
              >
                {title}
              </a>
            ) : (
              <span>{title}</span>
            )}{" "}
            <span className="text-muted">
              {[...headings.filter((heading) => heading !== title), dataSourceName].join(" · ")}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
