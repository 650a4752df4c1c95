import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { type AuthKind, authKindOf, authKinds } from "./read-auth.ts";

interface AuthFieldsProps {
  /** Undefined to keep the current one. */
  readonly kind: AuthKind | undefined;
  readonly onChange: (kind: AuthKind | undefined) => void;
  /** Whether the current one can be kept. */
  readonly canKeep?: boolean;
}

/** Fields for Parley's authentication to a server. */
export function AuthFields({ kind, onChange, canKeep = false }: AuthFieldsProps) {
  const isOAuth = kind === "client" || kind === "personal";
  return (
    <>
      <SelectField
        label="Authentication"
        value={kind ?? ""}
        onChange={(event) => onChange(authKindOf(event.target.value))}
      >
        {canKeep && <option value="">Keep current</option>}
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
          hint="Stored encrypted and never shown."
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
          hint="One per line. Stored encrypted and never shown."
        />
      )}
      {isOAuth && (
        <>
          <TextField
            label="Client id"
            name="clientId"
            required={kind === "client"}
            autoComplete="off"
            hint={kind === "personal" ? "If empty, Parley registers itself." : undefined}
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
