import { JsonBlock } from "../ui/code-block.tsx";

/** Characters of a text that is shown beside its name. */
const SHORT = 500;

const isShown = (value: unknown): boolean =>
  value === null ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length <= SHORT);

/** The arguments of a call: names with their values, or JSON if some are not short texts and numbers. */
export function CallArguments({ inputs }: { readonly inputs: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(inputs);
  if (entries.length === 0) return <p className="text-sm text-muted">No arguments</p>;
  if (!entries.every(([, value]) => isShown(value))) {
    return <JsonBlock value={inputs} label="Arguments" />;
  }
  return (
    <div
      role="group"
      aria-label="Arguments"
      className="rounded-md border border-line bg-canvas p-3"
    >
      <dl className="grid min-w-0 grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="font-mono text-muted">{name}</dt>
            <dd className="[overflow-wrap:anywhere] whitespace-pre-wrap">
              {typeof value === "string" ? value : JSON.stringify(value)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
