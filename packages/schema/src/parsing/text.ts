import * as z from "zod";

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

/** Whether text is at most `maxBytes` of UTF-8. */
export function fitsBytes(value: string, maxBytes: number): boolean {
  // A code unit takes one to three bytes, so only lengths in between need measuring.
  if (value.length > maxBytes) return false;
  return value.length * 3 <= maxBytes || encoder.encode(value).length <= maxBytes;
}

/** Storable, non-empty text of at most `maxBytes` bytes of UTF-8. */
export function textOfBytes(maxBytes: number) {
  return z
    .string()
    .min(1)
    .refine(isStorable, storable)
    .refine((value) => fitsBytes(value, maxBytes), {
      error: `must be at most ${maxBytes} bytes of UTF-8`,
    });
}

/** An optional member of a request; an explicit `null` counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/**
 * The members of a creation for an update, which leaves what it does not name: without the defaults that descriptions
 * name last, as in `Steps of a turn; 8 by default`.
 */
export function forUpdate<S extends Readonly<Record<string, z.ZodType>>>(shape: S): S {
  const members = Object.entries(shape).map(([name, member]) => {
    const description = member.description?.replace(/; (?:by default .*|.* by default)$/, "");
    return [name, description === undefined ? member : member.describe(description)];
  });
  return Object.fromEntries(members) as S;
}

/** An id in a request; unknown ids are not found, rather than malformed. */
export const Reference = text(255, 1);

/** A short string, such as a name or an e-mail address. */
export const ShortText = text(255);

/** An absolute URL, or the empty string for none. */
export const UrlText = text(2048).refine((value) => value === "" || URL.canParse(value), {
  error: "must be an absolute URL",
});

/** A number, also as the text that a query has: nothing else becomes one, as true, null and no text would. */
export const fromQuery = <Schema extends z.ZodType<unknown, number>>(number: Schema) =>
  z.preprocess((value: number, { issues }) => {
    const isText = typeof value === "string" && (value as string).trim() !== "";
    const given = isText ? Number(value) : value;
    if (typeof given === "number" && !Number.isNaN(given)) return given;
    issues.push({ code: "custom", message: "must be a number", input: value });
    return z.NEVER;
  }, number);

/** A boolean, also as the text that a query has. */
export const flagFromQuery = z.preprocess(
  (value: boolean) => ({ true: true, false: false })[String(value)] ?? value,
  z.boolean(),
);

/** A list in a query: a repeated key. Ids may also come as one value with commas. */
export const listFromQuery = (separator?: ",") =>
  optional(
    z.preprocess((value: string | readonly string[]) => {
      if (typeof value !== "string") return value;
      return separator === undefined ? [value] : value.split(separator);
    }, z.array(ShortText).max(100)),
  );

/** Milliseconds since the epoch. */
export const Milliseconds = z.int().meta({ example: 1_780_000_000_000 });

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
