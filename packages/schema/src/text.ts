import * as z from "zod";

/** Whether PostgreSQL can hold the text unchanged: no NUL and no lone surrogate. */
export function isStorable(value: string): boolean {
  return !value.includes("\u0000") && value.isWellFormed();
}

/** Makes text from a model or a function storable: NUL is dropped, lone surrogates become U+FFFD. */
export function toStorable(value: string): string {
  return value.replaceAll("\u0000", "").toWellFormed();
}

/** Makes every text of a JSON value storable, the names of its members included. */
export function toStorableJson(value: unknown): unknown {
  if (typeof value === "string") return toStorable(value);
  if (Array.isArray(value)) return value.map(toStorableJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [toStorable(name), toStorableJson(member)]),
  );
}

const storable = { error: "must not contain NUL or a lone surrogate", abort: true };

/** Storable text of `min` to `max` UTF-16 code units. */
export function text(max: number, min = 0) {
  return (
    z
      .string()
      .min(min)
      // Zod counts code points, of which there are fewer than code units.
      .max(max, { abort: true })
      .refine((value) => value.length <= max, { error: `must be at most ${max} characters` })
      .refine(isStorable, storable)
  );
}

const encoder = new TextEncoder();

/** Storable, non-empty text of at most `maxBytes` bytes of UTF-8. */
export function textOfBytes(maxBytes: number) {
  return (
    z
      .string()
      .min(1)
      .refine(isStorable, storable)
      // A code unit is at most three bytes, so only long texts have to be measured.
      .refine((value) => value.length * 3 <= maxBytes || encoder.encode(value).length <= maxBytes, {
        error: `must be at most ${maxBytes} bytes of UTF-8`,
      })
  );
}

/** A request member that may be left out; an explicit `null` means the same as leaving it out. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** An id in a path or a reference: what is not known is unknown, not malformed. */
export const Reference = text(255, 1);

/** A short string: names, usernames, addresses. */
export const ShortText = text(255);

/** Milliseconds since the epoch. */
export const Milliseconds = z.int();
