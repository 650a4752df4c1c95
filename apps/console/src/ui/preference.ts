import { useSyncExternalStore } from "react";

/** A choice of how the page looks, which the browser keeps and the styles read as an attribute of the document. */
export interface Preference<Value extends string> {
  /** Applies the stored value, also when another tab changes it. */
  readonly apply: () => void;
  /** Stores and applies a value. */
  readonly set: (value: Value) => void;
  /** The current value, as a hook. */
  readonly use: () => Value;
}

/** Makes a preference of a name, whose first value is the default and has no attribute. */
export function createPreference<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Preference<Value> {
  const key = `parley-${name}`;
  const listeners = new Set<() => void>();
  const read = (): Value => {
    const kept = localStorage.getItem(key);
    return values.find((value) => value === kept) ?? values[0];
  };
  const show = (): void => {
    const value = read();
    if (value === values[0]) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  };
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    apply: () => {
      show();
      listeners.add(show);
      addEventListener("storage", tell);
    },
    set: (value) => {
      if (value === values[0]) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
      tell();
    },
    use: () => useSyncExternalStore(subscribe, read),
  };
}
