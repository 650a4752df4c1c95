import type { Command } from "commander";
import type { EndpointName } from "@parley/schema";
import type { Context } from "../connection/context.ts";
import { callEndpoint, type Caller } from "./endpoint-calls.ts";
import type { Noun } from "./noun.ts";
import { actionCommand } from "./one-commands.ts";

interface Switch {
  /** Updates one, with `isEnabled` and the version that it had. */
  readonly call: EndpointName;
  /** What the commands do, for their help. */
  readonly enable: string;
  readonly disable: string;
  /** How it is named, if not by its id or its name. */
  readonly by?: string;
}

/** Makes `enable` and `disable` of what a workspace can switch on and off. */
export function switchCommands<
  Connection extends Caller,
  Item extends { readonly version: number },
>(
  context: Context,
  noun: Noun<Connection, Item>,
  { call: update, by, ...about }: Switch,
): Command[] {
  return (["enable", "disable"] as const).map((name) =>
    actionCommand(context, noun, {
      name,
      about: about[name],
      did: `${name}d`,
      ...(by !== undefined && { by }),
      call: async (connection, { id, item }) =>
        callEndpoint(connection, update, {
          id,
          version: item?.version,
          isEnabled: name === "enable",
        }),
    }),
  );
}
