/** Whether PostgreSQL can hold the text unchanged: no NUL and no lone surrogate. */
export function isStorable(value: string): boolean {
  return !value.includes("\u0000") && value.isWellFormed();
}

/** Makes text from a model or a function storable: NUL is dropped, lone surrogates become U+FFFD. */
export function toStorable(value: string): string {
  return value.replaceAll("\u0000", "").toWellFormed();
}

/** Makes all strings of a JSON value storable, including the names of members. */
export function toStorableJson(value: unknown): unknown {
  if (typeof value === "string") return toStorable(value);
  if (Array.isArray(value)) return value.map(toStorableJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toStorable(name), toStorableJson(member)]),
  );
}
