import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { type AuthKind, authKindOf, authKinds } from "./read-auth.ts";

interface AuthFieldsProps {
  /** Undefined if it stays as it is. */
  readonly kind: AuthKind | undefined;
  readonly onChange: (kind: AuthKind | undefined) => void;
  /** Whether it may stay as it is. */
  readonly canKeep?: boolean;
}

/** How Parley authenticates itself at a server, in a form. */
export function AuthFields({ kind, onChange, canKeep = false }: AuthFieldsProps) {
  const isOAuth = kind === "client" || kind === "personal";
  return (
    <>
      <SelectField
        label="Parley authenticates itself"
        value={kind ?? ""}
        onChange={(event) => onChange(authKindOf(event.target.value))}
      >
        {canKeep && <option value="">as before</option>}
        {Object.entries(authKinds).map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </SelectField>
      {kind === "bearer" && (
        <TextField
          label="Token"
          name="token"
          type="password"
          required
          autoComplete="off"
          hint="Kept encrypted, and shown to nobody."
        />
      )}
      {kind === "headers" && (
        <TextArea
          label="Headers"
          name="headers"
          required
          rows={3}
          spellCheck={false}
          placeholder="X-Key: value"
          className="font-mono text-sm"
          hint="One on each line; kept encrypted, and shown to nobody."
        />
      )}
      {isOAuth && (
        <>
          <TextField
            label="Client id"
            name="clientId"
            required={kind === "client"}
            autoComplete="off"
            hint={kind === "personal" ? "Left empty, Parley registers itself." : undefined}
          />
          <TextField
            label="Client secret"
            name="clientSecret"
            type="password"
            required={kind === "client"}
            autoComplete="off"
          />
          <TextField label="Scope" name="scope" autoComplete="off" />
        </>
      )}
    </>
  );
}
