import { formatPath, ParleyError } from "@parley/schema";
import type * as z from "zod";

/** The arguments of a tool. Throws `invalid_request_error` that names the member. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: formatPath(path),
    message,
  }));
  const [first] = issues;
  throw new ParleyError(
    "invalid_request_error",
    `Invalid arguments: ${first?.path}: ${first?.message}`,
    { issues },
  );
}
