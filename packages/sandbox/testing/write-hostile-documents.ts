// Writes the hostile documents into a folder, each under the kind that it says it is.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileNameOf, hostileDocuments } from "./hostile-documents.ts";

const [folder = "."] = process.argv.slice(2);
for (const [index, { make }] of hostileDocuments.entries()) {
  await writeFile(path.join(folder, fileNameOf(index)), await make());
}
