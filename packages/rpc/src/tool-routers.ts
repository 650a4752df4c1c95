import * as core from "@parley/core";
import { endpoints } from "@parley/schema";
import { mutation, post, query, router } from "./trpc.ts";

/** The implementations of the endpoints of tools. */
export const toolRouters = {
  toolAuthorizations: router({
    get: query(endpoints["toolAuthorizations.get"], core.getToolAuthorization),
    revoke: mutation(endpoints["toolAuthorizations.revoke"], core.revokeToolAuthorization),
    start: post(
      endpoints["toolAuthorizations.start"],
      core.startToolAuthorization,
      core.replayToolAuthorization,
    ),
  }),
  tools: router({
    invoke: post(endpoints["tools.invoke"], core.callToolByHand, core.replayToolCall),
    create: mutation(endpoints["tools.create"], core.createTool),
    getConnection: query(endpoints["tools.getConnection"], core.getToolConnection),
    list: query(endpoints["tools.list"], core.listTools),
    listOfSpace: query(endpoints["tools.listOfSpace"], core.listSpaceTools),
    refresh: mutation(endpoints["tools.refresh"], core.refreshToolNow),
    register: mutation(endpoints["tools.register"], core.registerTool),
    remove: mutation(endpoints["tools.remove"], core.removeTool),
    update: mutation(endpoints["tools.update"], core.updateTool),
    updateConnection: mutation(endpoints["tools.updateConnection"], core.updateToolConnection),
  }),
};
