import { SelectField } from "../ui/field.tsx";

/** Models that the server takes. */
const MAX_FALLBACKS = 3;

interface FallbackFieldsProps {
  /** The names of the models that the workspace has enabled. */
  readonly models: readonly string[];
  /** The agent's own model. */
  readonly own: string;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The models that answer in place of an agent's own, in order: a field for each, and one more. */
export function FallbackFields({ models, own, chosen, onChange }: FallbackFieldsProps) {
  const fields = [...chosen, ""].slice(0, MAX_FALLBACKS);
  return fields.map((name, index) => {
    const others = models.filter((model) => model !== own && !chosen.includes(model));
    return (
      <SelectField
        // A field stands for its place in the order.
        // oxlint-disable-next-line react/no-array-index-key
        key={index}
        label={`Fallback model ${index + 1}`}
        hint={index === 0 ? "Answers while the model is overloaded, down or silent" : undefined}
        value={name}
        onChange={({ target: { value } }) =>
          onChange(fields.with(index, value).filter((one) => one !== ""))
        }
      >
        <option value="">None</option>
        {(name === "" ? others : [name, ...others]).map((model) => (
          <option key={model}>{model}</option>
        ))}
      </SelectField>
    );
  });
}
