import { findBoundary, keepsRoot } from "@parley/sandbox/boundary";
import { versionOf } from "./version-of.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const WHAT = "sandbox";

/** What holds the code of functions, found out as a worker does at its start. */
export async function checkSandbox({
  context,
  settings,
}: Surroundings): Promise<readonly Finding[]> {
  const found = await findBoundary(undefined);
  const { boundary } = found;
  const isRequired = settings.PARLEY_SANDBOX_REQUIRE === "namespace";
  if (boundary === "namespace" && keepsRoot(found)) {
    const user = "run workers as another user, or install Parley where others can read it";
    return [warn(WHAT, "code runs in namespaces of its own (bubblewrap), but as root", user)];
  }
  if (boundary === "namespace") {
    return [ok(WHAT, "code runs in namespaces of its own (bubblewrap)")];
  }
  if (process.platform !== "linux") {
    const elsewhere = "run workers on Linux, or unset PARLEY_SANDBOX_REQUIRE";
    const finding = "code runs in processes of its own; namespaces are of Linux only";
    return [isRequired ? fail(WHAT, finding, elsewhere) : ok(WHAT, finding)];
  }
  const hasProgram = (await versionOf(context.io.environment, "bwrap")) !== undefined;
  const as = keepsRoot(found) ? " and as root" : "";
  const why = hasProgram ? "bubblewrap does not work here" : "bubblewrap is not installed";
  const cure = hasProgram
    ? "allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0; " +
      "in a container, its seccomp profile)"
    : "install it (apt-get install bubblewrap), and start the workers again";
  if (!isRequired)
    return [warn(WHAT, `code runs in processes without namespaces${as}: ${why}`, cure)];
  return [fail(WHAT, `PARLEY_SANDBOX_REQUIRE=namespace, but ${why}`, cure)];
}
