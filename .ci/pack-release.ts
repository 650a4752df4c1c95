// Packs what users install by name into `dist/release`: tarballs, their bills of materials and checksums.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pnpm } from "./pnpm.ts";
import { published, releaseFolder } from "./published.ts";
import { createSbom } from "./sbom.ts";
import { say } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");

await rm(releaseFolder, { recursive: true, force: true });
await mkdir(releaseFolder, { recursive: true });
const sums: string[] = [];
for (const one of published) {
  const folder = path.join(root, one.folder);
  const packed = await pnpm(folder, "pack", "--json", "--pack-destination", releaseFolder);
  const { filename } = JSON.parse(packed.slice(packed.lastIndexOf("\n{") + 1)) as {
    filename: string;
  };
  const sbom = filename.replace(/\.tgz$/, ".cdx.json");
  await writeFile(sbom, `${JSON.stringify(await createSbom(one), undefined, 2)}\n`);
  for (const file of [filename, sbom]) {
    const hash = createHash("sha256").update(await readFile(file));
    sums.push(`${hash.digest("hex")}  ${path.basename(file)}`);
    say(path.relative(root, file));
  }
}
await writeFile(path.join(releaseFolder, "SHA256SUMS"), `${sums.join("\n")}\n`);
