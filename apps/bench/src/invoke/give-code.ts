import { JavaScriptProgram, type StoredJavaScript } from "@parley/schema";
import pg from "pg";

/** The code that is measured: it adds two numbers, as the simulated function does. */
export const source = "export default async ({ a, b }) => ({ sum: a + b });\n";

/** Makes the demo's function `add` run code, as the server would have stored it. */
export async function giveCode(url: string): Promise<void> {
  const program: StoredJavaScript = {
    ...JavaScriptProgram.parse({ type: "javascript", source }),
    bundle: { code: source, map: "{}" },
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `update sandbox_function_versions v set program = $1
        from sandbox_functions f where f.id = v.function_id and f.slug = 'add'`,
      [JSON.stringify(program)],
    );
  } finally {
    await client.end();
  }
}
