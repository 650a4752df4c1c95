/** Parses JSON. Throws `SyntaxError` with a readable message. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Invalid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Parses a JSON object. Throws `SyntaxError` with a readable message. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new SyntaxError("Enter a JSON object, in braces");
}

/** Parses the JSON object of a field. Throws `SyntaxError` with a readable message that names the field. */
export function objectOf(label: string, text: string): Record<string, unknown> {
  try {
    return parseObject(text);
  } catch (cause) {
    throw new SyntaxError(`${label}: ${(cause as Error).message}`, { cause });
  }
}
