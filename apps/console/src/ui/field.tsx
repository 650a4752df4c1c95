import { type ComponentProps, type ReactNode, useId } from "react";
import { join } from "./join.ts";

const control =
  "w-full rounded-md border border-control bg-canvas px-2.5 py-(--item) text-ink disabled:opacity-60 aria-invalid:border-bad";

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface FieldProps extends Labelled {
  /** Renders the control with these attributes. */
  readonly children: (attributes: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean | undefined;
  }) => ReactNode;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint !== undefined && hintId, error !== undefined && errorId]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={hintId} className="measure text-sm text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={errorId} className="measure text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

/** A line of text. */
export function TextField({ label, hint, error, ...rest }: Labelled & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          type="text"
          {...rest}
          {...attributes}
          className={join(control, "control-line min-h-(--control)", rest.className)}
        />
      )}
    </Field>
  );
}

/** A text of several lines. */
export function TextArea({ label, hint, error, ...rest }: Labelled & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <textarea
          rows={6}
          {...rest}
          {...attributes}
          className={join(control, "control-text", rest.className)}
        />
      )}
    </Field>
  );
}

/** One of several values; the options are its children. */
export function SelectField({ label, hint, error, ...rest }: Labelled & ComponentProps<"select">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <select
          {...rest}
          {...attributes}
          className={join(control, "control-choice min-h-(--control)", rest.className)}
        />
      )}
    </Field>
  );
}

/** A choice that is on or off. */
export function CheckField({
  label,
  hint,
  ...rest
}: Omit<Labelled, "error"> & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="measure text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
