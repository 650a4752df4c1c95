import { JsonBlock } from "../ui/code-block.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import type { ShownTool } from "./read-tool.ts";
import { TryTool } from "./try-tool.tsx";

/** The tools that a server offers, each with the schema of its input, and a form that calls it. */
export function OfferedTools({ shown }: { readonly shown: ShownTool }) {
  const { tool, connection } = shown;
  const { tools } = tool.server;
  if (tools.length === 0) {
    return (
      <EmptyState title="No tools available">
        <p className="text-muted">Refresh to check again.</p>
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Server tools" className="rounded-lg border border-line">
      {tools.map(({ name, description, inputSchema }) => (
        <li key={name} className="border-t border-line first:border-t-0">
          <details>
            <summary className="flex flex-wrap gap-x-3 px-3 py-2">
              <code className="font-mono font-medium">{name}</code>
              <span className="line-clamp-2 text-muted">{description}</span>
            </summary>
            <div className="grid gap-2 p-3">
              <p className="whitespace-pre-wrap">{description}</p>
              <JsonBlock value={inputSchema} label={`Input of ${name}`} />
              {connection && <TryTool toolId={tool.sId} name={name} schema={inputSchema} />}
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
