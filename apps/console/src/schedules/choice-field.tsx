import type { ReactNode } from "react";
import type { NamedId } from "../api/agents-and-functions.ts";
import { SelectField } from "../ui/field.tsx";

interface ChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  /** Undefined until they are loaded. */
  readonly choices: readonly NamedId[] | undefined;
  /** The chosen id, or an empty text. */
  readonly chosen: string;
  /** The word for no choice; without it, one must be chosen. */
  readonly none?: string;
  readonly hint?: ReactNode;
}

/** One of several things; what was chosen before may be listed no more, such as an archived agent. */
export function ChoiceField({ label, name, choices = [], chosen, none, hint }: ChoiceFieldProps) {
  const isListed = chosen === "" || choices.some(({ id }) => id === chosen);
  return (
    <SelectField
      // Mounted again once they are loaded, with the chosen one selected.
      key={choices.length}
      label={label}
      name={name}
      hint={hint}
      required={none === undefined}
      defaultValue={chosen}
    >
      <option value="">{none ?? "Choose one"}</option>
      {!isListed && <option value={chosen}>{chosen}</option>}
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id}>
          {choice.name}
        </option>
      ))}
    </SelectField>
  );
}
