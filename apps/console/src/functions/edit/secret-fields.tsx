import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../api/clients.ts";
import { useWorkspaceId } from "../../api/use-session.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import type { UsedSecret } from "./draft.ts";

interface SecretFieldsProps {
  readonly secrets: readonly UsedSecret[];
  readonly onChange: (secrets: readonly UsedSecret[]) => void;
}

/** Which secrets of the workspace the code may use, and which of them it may read. */
export function SecretFields({ secrets, onChange }: SecretFieldsProps) {
  const wId = useWorkspaceId();
  const { data, error } = useQuery(trpc.functionSecrets.list.queryOptions({ wId }));
  const known = data?.functionSecrets.map(({ name }) => name) ?? [];
  // A deleted secret can still be deselected.
  const gone = secrets.map(({ name }) => name).filter((name) => !known.includes(name));
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Allowed secrets</legend>
      {error && <ErrorNotice error={error} />}
      {data && known.length + gone.length === 0 && (
        <p className="text-sm text-muted">
          The workspace has no secrets.{" "}
          <Link to="/secrets" className="text-accent underline">
            Set one
          </Link>
        </p>
      )}
      {[...known, ...gone].map((name) => {
        const used = secrets.find((one) => one.name === name);
        const others = secrets.filter((one) => one.name !== name);
        return (
          <div key={name} className="flex flex-wrap gap-x-5 gap-y-1">
            <Check
              label={name}
              isMono
              isChecked={used !== undefined}
              onChange={(isUsed) =>
                onChange(isUsed ? [...others, { name, readable: false }] : others)
              }
            />
            {used !== undefined && (
              <Check
                label={`The code may read ${name}`}
                isChecked={used.readable}
                onChange={(readable) => onChange([...others, { name, readable }])}
              />
            )}
          </div>
        );
      })}
      {secrets.length > 0 && (
        <p className="text-sm text-muted">
          {"In a header, write {{secrets."}
          {secrets[0]?.name}
          {"}}; the server inserts the value."}
        </p>
      )}
    </fieldset>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isMono?: boolean;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

function Check({ label, isMono = false, isChecked, onChange }: CheckProps) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className={isMono ? "font-mono text-sm" : "text-sm"}>{label}</span>
    </label>
  );
}
