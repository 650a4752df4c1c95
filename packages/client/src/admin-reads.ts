import type { Method } from "./methods.ts";
import type { RouteName } from "./schema-tables.ts";

/** What admins read of a workspace. */
export function createAdminReads(method: <N extends RouteName>(name: N) => Method<N>) {
  return {
    members: {
      /** Lists the e-mail addresses of the members; needs an admin key. */
      listEmails: method("members.listEmails"),
      /** Reads the languages of the workspace and of a member; needs an admin key. */
      readLocale: method("members.readLocale"),
    },
    models: {
      /** Lists the models that the workspace may use; needs an admin key. */
      listUsable: method("models.listUsable"),
    },
    triggers: {
      /** Lists what starts agents at times or by events; needs an admin key. */
      list: method("triggers.list"),
      /** Reads one of them; needs an admin key. */
      get: method("triggers.get"),
    },
  };
}
