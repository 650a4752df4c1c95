import path from "node:path";
import { pnpm } from "./pnpm.ts";
import type { Published } from "./published.ts";

/** A CycloneDX bill of materials, as far as it is read here. */
export interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly metadata: { readonly component: Component };
  readonly components: Component[];
  readonly dependencies: { readonly ref: string; dependsOn: string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { name: string; value: string }[];
}

const root = path.resolve(import.meta.dirname, "..");

/** What the whole workspace consists of. */
let whole: Promise<Sbom> | undefined;

/**
 * Lists what a package consists of: what its users install with it, and what its tarball contains, which
 * pnpm cannot know.
 */
export async function createSbom({ name, bundled }: Published): Promise<Sbom> {
  const sbom = await readSbom("--filter", name, "--prod", "--exclude-peers");
  const everything = await (whole ??= readSbom());
  const own = sbom.dependencies.find(({ ref }) => ref === sbom.metadata.component["bom-ref"]);
  for (const one of bundled) {
    const component = everything.components.find((found) => nameOf(found) === one);
    if (component === undefined || own === undefined) {
      throw new Error(`${name} bundles ${one}, of which the lockfile knows nothing`);
    }
    const properties = [{ name: "parley:bundled", value: "true" }];
    sbom.components.push({ ...component, properties });
    own.dependsOn.push(component["bom-ref"]);
  }
  return sbom;
}

/** The name of a component as it is installed. */
export function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

async function readSbom(...options: string[]): Promise<Sbom> {
  return JSON.parse(await pnpm(root, ...options, "sbom", "--sbom-format", "cyclonedx")) as Sbom;
}
