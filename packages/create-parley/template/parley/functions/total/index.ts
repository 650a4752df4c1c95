import type { Context } from "./context.d.ts";
import type { Input, Result } from "./schema.d.ts";

/** Adds up the prices of an order. What it returns is the result of the invocation. */
export default async function total({ items }: Input, context: Context): Promise<Result> {
  const cents = items.reduce((sum, { cents, count }) => sum + cents * count, 0);
  context.log("info", `${items.length} items`);
  return `${(cents / 100).toFixed(2)} euros`;
}
