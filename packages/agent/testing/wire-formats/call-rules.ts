/**
 * What the services refuse with 400, in the words of each: calls without results, results without calls, ids that
 * stand for two calls, messages in an order that they do not take. Each function gives the refusal, or undefined.
 */

type Refusal = string | undefined;

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string } }[];
  readonly tool_call_id?: string;
}

interface ChatBody {
  readonly messages: readonly ChatMessage[];
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** An id that is there twice. */
function repeated(ids: readonly string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

const isBlank = (content: unknown): boolean =>
  content === undefined ||
  content === null ||
  content === "" ||
  (Array.isArray(content) && content.length === 0);

/** As OpenAI's chat completions, which other services imitate. */
export function refuseChat({ messages }: ChatBody): Refusal {
  let open: string[] = [];
  for (const { role, content, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (role === "tool") {
      if (!open.includes(id ?? "")) {
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) break;
    if (role === "assistant" && isBlank(content) && calls.length === 0) {
      return "Invalid value for 'content': expected a string, got null.";
    }
    const wrong = calls.find(({ function: { name } }) => !NAME.test(name));
    if (wrong) return `Invalid 'tool_calls[0].function.name': ${wrong.function.name}`;
    open = calls.map((call) => call.id);
  }
  if (open.length > 0) {
    return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join()}`;
  }
  const twice = repeated(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
  );
  return twice && `Duplicate tool_call_id: ${twice}`;
}

/** Mistral has rules of its own beside those. */
export function refuseMistral(body: ChatBody): Refusal {
  const { messages } = body;
  for (const [index, { role, tool_calls: calls = [] }] of messages.entries()) {
    const before = messages[index - 1]?.role;
    if (before === "tool" && role !== "tool" && role !== "assistant") {
      return `Unexpected role '${role}' after role 'tool'`;
    }
    const wrong = calls.find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
    if (wrong) {
      return `Tool call id was ${wrong.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }
  }
  const last = messages.at(-1)?.role ?? "";
  if (!["user", "tool"].includes(last)) {
    return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
  }
  return refuseChat(body);
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly signature?: string;
  readonly tool_use_id?: string;
}

interface MessagesBody {
  readonly messages: readonly { role: string; content: string | readonly Block[] }[];
  readonly tools?: readonly unknown[];
}

/** As Anthropic's messages. */
export function refuseMessages({ messages, tools = [] }: MessagesBody): Refusal {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  let open: string[] = [];
  const used: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    const at = `messages.${index}`;
    if (role === messages[index - 1]?.role) {
      return `${at}: roles must alternate between "user" and "assistant"`;
    }
    if (blocks.some(({ type, text }) => type === "text" && text?.trim() === "")) {
      return `${at}: text content blocks must contain non-whitespace text`;
    }
    if (
      blocks.some(({ type, signature }) => type === "thinking" && !signature?.startsWith("signed_"))
    ) {
      return `${at}: Invalid \`signature\` in \`thinking\` block`;
    }
    const results = blocks.flatMap((block) =>
      block.type === "tool_result" ? [block.tool_use_id ?? ""] : [],
    );
    const missing = open.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join()}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const unknown = results.find((id) => !open.includes(id));
    if (unknown !== undefined) {
      return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (repeated(results) !== undefined) return `${at}: each tool_use must have a single result`;
    // The results come first.
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    }
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const wrong = calls.find(
      ({ id = "", name = "" }) => !/^[a-zA-Z0-9_-]+$/.test(id) || !NAME.test(name),
    );
    if (wrong)
      return `${at}: String should match pattern '^[a-zA-Z0-9_-]+$': ${wrong.id} ${wrong.name}`;
    open = calls.map(({ id = "" }) => id);
    used.push(...open);
  }
  if (open.length > 0)
    return "`tool_use` ids were found without `tool_result` blocks immediately after";
  if (repeated(used) !== undefined) return "messages: `tool_use` ids must be unique";
  if (used.length > 0 && tools.length === 0) {
    return "Requests which include `tool_use` or `tool_result` blocks must define tools";
  }
  return undefined;
}

interface Item {
  readonly type?: string;
  readonly id?: string;
  readonly role?: string;
  readonly name?: string;
  readonly call_id?: string;
}

/** As OpenAI's responses. */
export function refuseResponses({ input }: { readonly input: readonly Item[] }): Refusal {
  const idsOf = (wanted: string) =>
    input.flatMap(({ type, call_id: id }) => (type === wanted ? [id ?? ""] : []));
  const calls = idsOf("function_call");
  const twice = repeated(calls) ?? repeated(input.flatMap(({ id }) => id ?? []));
  if (twice !== undefined) return `Duplicate item found with id ${twice}.`;
  for (const [index, { type, name = "", call_id: id = "" }] of input.entries()) {
    const next = input[index + 1];
    if (type === "function_call" && (id.length > 64 || !NAME.test(name))) {
      return `Invalid 'input[${index}]': ${id} ${name}`;
    }
    if (
      type === "reasoning" &&
      next?.role !== "assistant" &&
      !["function_call", "reasoning"].includes(next?.type ?? "")
    ) {
      return `Item '${input[index]?.id}' of type 'reasoning' was provided without its required following item.`;
    }
    if (type !== "function_call_output") continue;
    const called = input.findIndex((one) => one.type === "function_call" && one.call_id === id);
    if (called === -1 || called > index) {
      return `No tool call found for function call output with call_id ${id}.`;
    }
    // No other message is between a call and its output.
    if (input.slice(called, index).some(({ role }) => role !== undefined)) {
      return `No tool output found for function call ${id}.`;
    }
  }
  const outputs = idsOf("function_call_output");
  const missing = calls.find((id) => !outputs.includes(id));
  if (missing !== undefined) return `No tool output found for function call ${missing}.`;
  const again = repeated(outputs);
  return again && `Duplicate function call output with call_id ${again}.`;
}

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly name: string; readonly id?: string };
  readonly functionResponse?: { readonly name: string; readonly id?: string };
  readonly thoughtSignature?: string;
}

/** As Google's generateContent. */
export function refuseContents({
  contents,
}: {
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[];
}): Refusal {
  const kindOf = ({ role, parts }: (typeof contents)[number]) => {
    if (parts.some(({ functionCall }) => functionCall)) return "calls";
    return parts.some(({ functionResponse }) => functionResponse) ? "responses" : role;
  };
  const ids: string[] = [];
  for (const [index, content] of contents.entries()) {
    if (content.parts.length === 0) return `contents[${index}].parts must not be empty.`;
    const before = contents[index - 1];
    const kind = kindOf(content);
    const kindBefore = before && kindOf(before);
    if (kind === "calls" && kindBefore !== "user" && kindBefore !== "responses") {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    const calls = before?.parts.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
    const responses = content.parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (responses.length !== calls.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    for (const [place, { name, id }] of responses.entries()) {
      if (calls[place]?.name !== name || calls[place]?.id !== id) {
        return `The function response part ${name} does not answer the function call part ${calls[place]?.name}.`;
      }
      if (id !== undefined) ids.push(id);
    }
  }
  const last = contents.at(-1);
  if (last !== undefined && kindOf(last) === "calls") {
    return "Please ensure that function call turn is followed by a function response turn.";
  }
  const twice = repeated(ids);
  return twice && `Duplicate function call id ${twice}`;
}
