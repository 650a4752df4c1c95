/** An option. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

interface ChoiceListProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A list of options, several of which can be chosen. A chosen one that is not listed can be removed. */
export function ChoiceList({ label, choices, chosen, onChange }: ChoiceListProps) {
  const known = new Set(choices.map(({ id }) => id));
  const gone = chosen.filter((id) => !known.has(id));
  const all = [...choices, ...gone.map((id) => ({ id, name: id, description: "Not listed" }))];
  const change = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <fieldset className="grid gap-1">
      <legend className="font-medium">{label}</legend>
      {all.length === 0 && <p className="text-sm text-muted">None available.</p>}
      <div className="max-h-56 overflow-y-auto rounded-md border border-line">
        {all.map(({ id, name, description }) => (
          <label key={id} className="flex items-start gap-2 px-2.5 py-1.5 hover:bg-surface">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={(event) => change(id, event.target.checked)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span>
              {name}
              {description !== "" && (
                <span className="line-clamp-2 text-sm text-muted">{description}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
