// `pnpm release:version` raises the versions as the changesets say, and writes what is not released yet as the notes of that
// version: into the changelog and the manifests, where `parley update` finds them.
import path from "node:path";
import { writeRelease } from "./release-notes.ts";
import { run } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");
const isRaised = await run(["changeset", "version"]);
if (isRaised) writeRelease(root, new Date().toISOString().slice(0, 10));
process.exitCode = isRaised ? 0 : 1;
