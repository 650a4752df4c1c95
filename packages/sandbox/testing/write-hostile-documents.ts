// Writes the hostile documents into a folder, each under the kind that it says it is.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { hostileDocuments } from "./hostile-documents.ts";

const [folder = "."] = process.argv.slice(2);
for (const [index, { name, kind, make }] of hostileDocuments.entries()) {
  const file = `${String(index).padStart(2, "0")} ${name}.${kind}`;
  await writeFile(path.join(folder, file), await make());
}
