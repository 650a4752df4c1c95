import { calledWrongly } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { oneLine } from "@parley/command/print";
import { CreateUserToken } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { nounCommand } from "../grammar/noun.ts";
import { findMember, findSpace } from "../grammar/nouns.ts";
import { printDone, resolveReferences } from "../grammar/one-commands.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";
import { confirm } from "../terminal/confirm.ts";

const NewToken = CreateUserToken.omit({ wId: true });
const references = { userId: findMember, spaceIds: findSpace };

/** Makes the command that creates a token, of a member or of a user of the application. */
function createTokenCommand(context: Context) {
  const about = "create a token of a user and print it, which is shown only once";
  const command = nounCommand("create", about);
  const read = withInput(command, { schema: NewToken, named: Object.keys(references) });
  return command.action(async (options: ServerOptions) => {
    const given = checkInput(NewToken, await read(context.io, { ...options }));
    if ((given.externalId === undefined) === (given.userId === undefined)) {
      throw calledWrongly(
        "parley users tokens create",
        "name a user either with --external-id or with --user-id",
      );
    }
    const connection = await connect(context, options);
    const { rpc, wId } = connection;
    const input = await resolveReferences(connection, given, references);
    const answer = await callServer(rpc.userTokens.create.mutate({ wId, ...input }));
    const { userToken, user } = answer;
    const done = `created: token ${userToken.sId} of ${oneLine(user.fullName || user.sId)}`;
    printDone(context.io, done, { ...answer }, options);
  });
}

interface RevokeOptions extends ServerOptions {
  readonly userId?: string;
  readonly yes?: true;
}

/** Makes the command that revokes one token, or all of a user. */
function revokeCommand(context: Context) {
  return nounCommand("revoke", "revoke a token of a user, or all of them, permanently")
    .argument("[token]", "id, which create has printed; or --user-id")
    .option("--user-id <id-or-name>", "user whose tokens are all revoked")
    .option("--yes", "skip the confirmation")
    .action(async (token: string | undefined, options: RevokeOptions) => {
      const { userId, yes } = options;
      if ((token === undefined) === (userId === undefined)) {
        throw calledWrongly(
          "parley users tokens revoke",
          "name either the id of a token or a user with --user-id",
        );
      }
      const connection = await connect(context, options);
      const { rpc, wId } = connection;
      const named = token ?? userId ?? "";
      const what = token === undefined ? `all tokens of ${named}` : `token ${named}`;
      await confirm(context.io, { what: `permanently revoke ${what}`, typed: named, yes });
      const { userId: ofUser } = await resolveReferences(connection, { userId }, references);
      const revoked = token === undefined ? { userId: ofUser } : { tokenId: token };
      const answer = await callServer(rpc.userTokens.revoke.mutate({ wId, ...revoked }));
      printDone(context.io, `revoked: ${oneLine(what)}`, { ...answer }, options);
    });
}

/** Makes the commands about what an application's users act with. The server lists no tokens. */
export const createUserCommands = (context: Context) =>
  group("users", "users of an application", [
    group("tokens", "tokens with which an application's users act", [
      createTokenCommand(context),
      revokeCommand(context),
    ]),
  ]);
