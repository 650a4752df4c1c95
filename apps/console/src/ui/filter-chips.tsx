import { type ReactNode, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { join } from "./join.ts";

/** Something that a list can be filtered by. */
export interface Filter {
  /** Its name in the URL. */
  readonly name: string;
  readonly label: string;
  /** Undefined if the list is not filtered by it. */
  readonly value: string | undefined;
  /** The values to choose from; without them, one is typed. */
  readonly choices?: readonly { readonly id: string; readonly name: string }[];
  readonly type?: "search" | "text" | "datetime-local";
  readonly placeholder?: string;
}

interface FilterChipsProps {
  readonly filters: readonly Filter[];
  /** Called with the filters that change, by name. */
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** What stands after the chips, such as saved views. */
  readonly children?: ReactNode;
}

/** The filters of a list in one line that wraps: each is a chip, which shows its value and can be removed. */
export function FilterChips({ filters, onChange, children }: FilterChipsProps) {
  const set = filters.filter(({ value }) => value !== undefined);
  return (
    <search className="flex flex-wrap items-center gap-2">
      {filters.map((filter) => (
        <span key={filter.name} className={chipLook(filter.value !== undefined)}>
          {filter.choices === undefined ? (
            <TypedChip filter={filter} onChange={(value) => onChange({ [filter.name]: value })} />
          ) : (
            <ChoiceChip filter={filter} onChange={(value) => onChange({ [filter.name]: value })} />
          )}
          {filter.value !== undefined && (
            <button
              type="button"
              aria-label={`Remove the filter ${filter.label}`}
              className="grid min-h-6 min-w-6 place-items-center rounded-full hover:bg-raised"
              onClick={() => onChange({ [filter.name]: undefined })}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      {set.length > 1 && (
        <Button
          variant="ghost"
          isSmall
          onClick={() => onChange(Object.fromEntries(set.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
      {children}
    </search>
  );
}

const chipLook = (isSet: boolean): string =>
  join(
    "inline-flex min-h-(--control-small) max-w-full items-center gap-1 rounded-full border px-2.5 text-sm",
    isSet ? "border-accent bg-accent-soft text-accent" : "border-control bg-canvas text-ink",
  );

interface ChipProps {
  readonly filter: Filter;
  readonly onChange: (value: string | undefined) => void;
}

/** A choice by id; the URL may name one that is not listed, such as an archived agent. */
function ChoiceChip({ filter, onChange }: ChipProps) {
  const { label, value, choices = [] } = filter;
  const id = useId();
  const isListed = value === undefined || choices.some((choice) => choice.id === value);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value ?? ""}
        className="min-h-6 max-w-44 min-w-0 cursor-pointer rounded bg-transparent font-medium text-inherit"
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        <option value="">All</option>
        {!isListed && <option value={value}>{value}</option>}
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name}
          </option>
        ))}
      </select>
    </>
  );
}

/** A value that is typed in a dialog. */
function TypedChip({ filter, onChange }: ChipProps) {
  const { name, label, value, type = "text", placeholder } = filter;
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const apply = (form: FormData) => {
    onChange(String(form.get(name) ?? "").trim() || undefined);
    setOpen(false);
  };
  return (
    <>
      <button type="button" className="min-h-6 truncate" onClick={() => setOpen(true)}>
        {label}
        {value !== undefined && <span className="font-medium"> {shown(type, value)}</span>}
        <span className="sr-only"> …</span>
      </button>
      <Dialog title="Filter" isOpen={isOpen} onOpenChange={setOpen} first={field}>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            apply(new FormData(event.currentTarget));
          }}
        >
          <TextField
            label={label}
            name={name}
            type={type}
            ref={field}
            autoComplete="off"
            defaultValue={value ?? ""}
            {...(placeholder !== undefined && { placeholder })}
          />
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </form>
      </Dialog>
    </>
  );
}

const shown = (type: Filter["type"], value: string): string =>
  type === "datetime-local" ? value.replace("T", " ") : value;
