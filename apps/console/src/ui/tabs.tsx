import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

interface TabsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** The tabs in order: their values with their names. Those without a name are not offered. */
  readonly tabs: Readonly<Partial<Record<T, string>>>;
  /** The content of the chosen tab. */
  readonly children: ReactNode;
}

/** Tabs of which one is shown. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  // A type with a parameter for its keys has no entries that the compiler knows.
  const names = Object.entries(tabs as Readonly<Record<string, string>>);
  return (
    <Radix.Root
      value={value}
      // One of the tabs, all of which are given.
      onValueChange={(next) => onChange(next as T)}
      className="grid min-w-0 gap-4"
    >
      <Radix.List aria-label={label} className="flex flex-wrap gap-1 border-b border-line">
        {names.map(([name, title]) => (
          <Radix.Trigger
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} tabIndex={-1} className="min-w-0">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
