import { TextField } from "../ui/field.tsx";
import { fromLocalInput, toLocalInput } from "../ui/local-time.ts";

/** When a key expires, in a form. */
export function ExpiryField({ at }: { readonly at?: number | null }) {
  return (
    <TextField
      label="Expires"
      name="expiresAt"
      type="datetime-local"
      defaultValue={at === undefined || at === null ? "" : toLocalInput(at)}
      hint="In your time zone; leave it empty for a key that does not expire."
    />
  );
}

/** The moment in the field of a form; undefined for never. */
export function expiryIn(form: FormData): number | undefined {
  return fromLocalInput(String(form.get("expiresAt") ?? ""));
}
