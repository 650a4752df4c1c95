import * as schemaTables from "./src/schema-tables.ts";

/**
 * A plugin of a bundler that gives the module of the schemas' tables as its values, so that what is bundled
 * carries no schemas.
 */
export const evaluateTables = {
  name: "evaluate-tables",
  load: (id: string): string | undefined =>
    id.endsWith("/schema-tables.ts")
      ? Object.entries(schemaTables)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join("\n")
      : undefined,
};
