import { TextField } from "../../ui/field.tsx";
import { codeLimits, invocationLimits, type LimitName, type LimitTexts } from "./limits.ts";

interface LimitFieldsProps {
  /** Whether limits of code are shown too. */
  readonly isCode: boolean;
  readonly limits: LimitTexts;
  readonly onChange: (limits: LimitTexts) => void;
}

/** The limits of an invocation. */
export function LimitFields({ isCode, limits, onChange }: LimitFieldsProps) {
  const shown = { ...invocationLimits, ...(isCode && codeLimits) };
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Invocation limits</legend>
      <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {Object.entries(shown).map(([name, { label }]) => (
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
