import {
  createApiKey,
  createConversation,
  createWorkspace,
  findInvocationStream,
  invokeSandboxFunction,
  listApiKeys,
  listSkills,
  revokeApiKey,
} from "@parley/core";
import { endpoints } from "@parley/schema";
import { createCallerFactory, mutation, query, router } from "./trpc.ts";

/** The table of contents of the server: what each endpoint is answered by. */
export const appRouter = router({
  apiKeys: router({
    create: mutation(endpoints["apiKeys.create"], createApiKey),
    list: query(endpoints["apiKeys.list"], listApiKeys),
    revoke: mutation(endpoints["apiKeys.revoke"], revokeApiKey),
  }),
  conversations: router({
    create: mutation(endpoints["conversations.create"], createConversation),
  }),
  sandboxFunctions: router({
    invoke: mutation(endpoints["sandboxFunctions.invoke"], invokeSandboxFunction),
  }),
  skills: router({
    list: query(endpoints["skills.list"], listSkills),
  }),
  workspaces: router({
    create: mutation(endpoints["workspaces.create"], createWorkspace),
  }),
});

export type AppRouter = typeof appRouter;

/** Makes the caller through which REST reaches the procedures. */
export const createCaller = createCallerFactory(appRouter);

/** What finds the log behind each endpoint of kind stream. */
export const streams = {
  "sandboxFunctions.events": findInvocationStream,
};
