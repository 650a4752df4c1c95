import { type Confinement, describeConfinements } from "./confinement.ts";
import { awaitReady, startChild } from "./processes/child.ts";

/**
 * Finds the strongest boundary that works here: bubblewrap where a process starts in namespaces of its own. Throws
 * where `required` does not work.
 */
export async function findBoundary(required: "namespace" | undefined): Promise<Confinement> {
  const { namespace, process: plain } = describeConfinements();
  if (process.platform === "linux") {
    // Its own program is what shows that it works: that another starts does not say what this one finds.
    const probe = startChild(namespace);
    try {
      await awaitReady(probe);
      return namespace;
    } catch (cause) {
      if (required !== undefined) {
        throw new Error("The sandbox needs bubblewrap, which does not work here", { cause });
      }
    } finally {
      probe.kill("retired");
    }
  } else if (required !== undefined) {
    throw new Error("The sandbox needs bubblewrap, which works on Linux only");
  }
  return plain;
}
