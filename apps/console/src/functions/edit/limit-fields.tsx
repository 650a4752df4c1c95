import type { ProgramKind } from "@parley/schema/program-kinds";
import { TextField } from "../../ui/field.tsx";
import { type LimitName, limitsOfKind, type LimitTexts } from "./limits.ts";

interface LimitFieldsProps {
  readonly kind: ProgramKind;
  readonly limits: LimitTexts;
  readonly onChange: (limits: LimitTexts) => void;
}

/** The limits of an invocation. */
export function LimitFields({ kind, limits, onChange }: LimitFieldsProps) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Invocation limits</legend>
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {Object.entries(limitsOfKind(kind)).map(([name, { label }]) => (
          <TextField
            key={name}
            label={label}
            inputMode="numeric"
            value={limits[name as LimitName]}
            onChange={(event) => onChange({ ...limits, [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  );
}
