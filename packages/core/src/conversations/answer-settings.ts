import { type AnswerSettings, type CreateMessage, invalidRequest } from "@parley/schema";
import { findSchemasFault } from "../functions/json-schema/validate.ts";
import { type Threads, threadOptions, type WaitingRequest } from "../untrusted/threads.ts";

/**
 * What a message asks of the models of its answers, as it is stored; null for nothing. Throws `invalid_request_error`
 * for an unusable schema of a tool, and for a choice of a tool that the message does not have. Waits for a thread: not
 * for a transaction.
 */
export async function requireAnswerSettings(
  context: WaitingRequest & { readonly threads: Threads },
  { message, path }: { readonly message: CreateMessage; readonly path: string },
): Promise<AnswerSettings | null> {
  const { functionTools = [], toolChoice } = message;
  const { parallelToolCalls, maxOutputTokens, temperature, instructions, metadata } = message;
  if (
    typeof toolChoice === "object" &&
    !functionTools.some(({ name }) => name === toolChoice.name)
  ) {
    const unknown = `the message has no tool named ${toolChoice.name}`;
    throw invalidRequest("body", [{ path: `${path}toolChoice.name`, message: unknown }]);
  }
  const schemas = functionTools.flatMap(({ parameters: schema }, index) =>
    schema === undefined ? [] : [{ schema, root: `${path}functionTools[${index}].parameters` }],
  );
  if (schemas.length > 0) {
    const fault = await findSchemasFault(context.threads, schemas, threadOptions(context));
    if (fault !== undefined) throw invalidRequest("body", [fault]);
  }
  const settings: AnswerSettings = {
    ...(functionTools.length > 0 && { functionTools: functionTools.map(toStored) }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(instructions !== undefined && { instructions }),
    ...(metadata !== undefined && { metadata }),
  };
  return Object.keys(settings).length === 0 ? null : settings;
}

type Tools = NonNullable<CreateMessage["functionTools"]>;

function toStored({ name, description = "", parameters, strict }: Tools[number]) {
  const tool = { name, description, parameters: parameters ?? { type: "object" } };
  return strict === undefined ? tool : { ...tool, strict };
}
