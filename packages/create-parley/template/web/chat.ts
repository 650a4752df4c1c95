import { agentMessages, createParley } from "parley-client";

const talk = document.querySelector("#talk")!;
const form = document.querySelector<HTMLFormElement>("#form")!;

interface Access {
  readonly url: string;
  readonly workspaceId: string;
  readonly token: string;
}

const response = await fetch("/token", { method: "POST" });
const { url: baseUrl, workspaceId, token: apiKey } = (await response.json()) as Access;
const parley = createParley({ baseUrl, workspaceId, apiKey });
const { agentConfigurations } = await parley.agents.list({});
const clerk = agentConfigurations.find(({ name }) => name === "Clerk");
let conversationId: string | undefined;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const content = String(new FormData(form).get("question"));
  form.reset();
  add(content, "question");
  const answer = add("", "answer");
  try {
    for await (const text of ask(content)) answer.textContent += text;
  } catch (error) {
    answer.textContent += ` ${error instanceof Error ? error.message : String(error)}`;
  }
});

// Before, a form would leave the page.
form.querySelector("button")!.disabled = false;

/** The text of the answer as it is written; the conversation goes on with the next question. */
async function* ask(content: string): AsyncGenerator<string> {
  const message = { content, mentions: [{ configurationId: clerk?.sId ?? "" }] };
  let messages;
  if (conversationId === undefined) {
    const { conversation } = await parley.conversations.create({ message });
    conversationId = conversation.sId;
    messages = agentMessages(conversation);
  } else {
    messages = (await parley.messages.create({ conversationId, ...message })).agentMessages;
  }
  for (const { sId: messageId } of messages) {
    yield* parley.messages.text({ conversationId, messageId });
  }
}

function add(text: string, name: string): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = name;
  paragraph.textContent = text;
  talk.append(paragraph);
  return paragraph;
}
