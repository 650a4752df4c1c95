import { errorTypeOf } from "../connection/call-server.ts";

/** How each member that takes ids finds what a person has named. */
export type References<Connection> = Readonly<
  Record<string, (connection: Connection, reference: string) => Promise<{ readonly id: string }>>
>;

/**
 * An input with ids in place of unique names. What a key may not list stays as it was given, for the server to
 * judge. Throws `CommandError`.
 */
export async function resolveReferences<Connection, Input extends object>(
  connection: Connection,
  input: Input,
  references: References<Connection>,
): Promise<Input> {
  const ids: Record<string, string[]> = {};
  for (const [member, given] of Object.entries(input)) {
    const find = references[member];
    if (find === undefined || !Array.isArray(given)) continue;
    const found = new Set<string>();
    for (const reference of given as readonly string[]) {
      found.add(await idOf(find(connection, reference), reference));
    }
    ids[member] = [...found];
  }
  return { ...input, ...ids };
}

async function idOf(finding: Promise<{ readonly id: string }>, reference: string): Promise<string> {
  try {
    return (await finding).id;
  } catch (error) {
    if (errorTypeOf(error) === "app_auth_error") return reference;
    throw error;
  }
}
