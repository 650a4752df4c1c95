import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createClientOf } from "./clients.ts";

const clientOf = createClientOf(shareServer());
const csv = "name,born\nAda,1815\n";

test.for([
  ["bytes", new TextEncoder().encode(csv)],
  ["a text", csv],
  ["a blob of the type", new Blob([csv], { type: "text/csv" })],
] as const)("%s are uploaded as the given type", async ([, content]) => {
  const { file } = await clientOf().files.upload({
    fileName: "people.csv",
    contentType: "text/csv",
    content,
  });
  expect(file).toMatchObject({ status: "ready", contentType: "text/csv", fileSize: csv.length });
});
