import { CodeBlock } from "./code-block.tsx";

interface JsonTreeProps {
  readonly label: string;
  /** JSON; what is none is shown as it is. */
  readonly text: string;
}

/** Members of an object, or items of a list, that are shown at most. */
const MAX_MEMBERS = 200;

/** JSON as a tree whose objects and lists can be opened and closed; the outermost is open. */
export function JsonTree({ label, text }: JsonTreeProps) {
  const value = parse(text);
  if (typeof value !== "object" || value === null) {
    return (
      <CodeBlock label={label}>{value === undefined ? text : JSON.stringify(value)}</CodeBlock>
    );
  }
  return (
    <div
      role="group"
      aria-label={label}
      className="rounded-md bg-surface px-3 py-2 font-mono text-sm"
    >
      <Members value={value} />
    </div>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function Members({ value }: { readonly value: object }) {
  const members = Object.entries(value);
  return (
    <ul className="grid gap-0.5">
      {members.slice(0, MAX_MEMBERS).map(([name, member]) => (
        <Member key={name} name={name} value={member as unknown} />
      ))}
      {members.length > MAX_MEMBERS && <li className="text-muted">… {members.length} in all</li>}
    </ul>
  );
}

function Member({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return (
      <li className="break-words whitespace-pre-wrap">
        <span className="text-muted">{name}:</span> {JSON.stringify(value)}
      </li>
    );
  }
  const count = Object.keys(value).length;
  return (
    <li>
      <details>
        <summary>
          <span className="text-muted">{name}:</span>{" "}
          {Array.isArray(value) ? `[${count}]` : `{${count}}`}
        </summary>
        <div className="pl-4">
          <Members value={value} />
        </div>
      </details>
    </li>
  );
}
