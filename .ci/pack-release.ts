// Packs what users install by name into `dist/release`: tarballs, their bills of materials and checksums; and where
// the digest of the base image is known, the Dockerfile that names it. With `--built`, of the builds that are there.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { BASE_IMAGE_VARIABLE, withBaseImage } from "./base-image.ts";
import { pnpm } from "./pnpm.ts";
import { BUILT_OPTION, published, releaseFolder } from "./published.ts";
import { createSbom } from "./sbom.ts";
import { say } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");

await rm(releaseFolder, { recursive: true, force: true });
await mkdir(releaseFolder, { recursive: true });
const sums: string[] = [];
const addFile = async (file: string): Promise<void> => {
  const hash = createHash("sha256").update(await readFile(file));
  sums.push(`${hash.digest("hex")}  ${path.basename(file)}`);
  say(path.relative(root, file));
};
for (const one of published) {
  const folder = path.join(root, one.folder);
  const packed = await pnpm(
    folder,
    "pack",
    "--json",
    ...(process.argv.includes(BUILT_OPTION) ? ["--ignore-scripts"] : []),
    "--pack-destination",
    releaseFolder,
  );
  const { filename } = JSON.parse(packed.slice(packed.lastIndexOf("\n{") + 1)) as {
    filename: string;
  };
  const sbom = filename.replace(/\.tgz$/, ".cdx.json");
  await writeFile(sbom, `${JSON.stringify(await createSbom(one), undefined, 2)}\n`);
  await addFile(filename);
  await addFile(sbom);
}
const baseImage = process.env[BASE_IMAGE_VARIABLE];
if (baseImage !== undefined) {
  const dockerfile = await readFile(path.join(root, "Dockerfile"), "utf8");
  const pinned = path.join(releaseFolder, "Dockerfile");
  await writeFile(pinned, withBaseImage(dockerfile, baseImage));
  await addFile(pinned);
}
await writeFile(path.join(releaseFolder, "SHA256SUMS"), `${sums.join("\n")}\n`);
