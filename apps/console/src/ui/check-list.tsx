import { CheckField } from "./field.tsx";

interface CheckListProps {
  readonly label: string;
  /** Name in the form: `getAll` gives the checked ids. */
  readonly name: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  readonly checkedIds?: readonly string[];
  /** Shown if there are no choices. */
  readonly empty: string;
}

/** A group of checkboxes in a form. */
export function CheckList({ label, name, choices, checkedIds = [], empty }: CheckListProps) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{label}</legend>
      {choices.length === 0 && <p className="text-sm text-muted">{empty}</p>}
      <div className="grid max-h-48 gap-1 overflow-y-auto">
        {choices.map((choice) => (
          <CheckField
            key={choice.id}
            label={choice.name}
            name={name}
            value={choice.id}
            defaultChecked={checkedIds.includes(choice.id)}
          />
        ))}
      </div>
    </fieldset>
  );
}
