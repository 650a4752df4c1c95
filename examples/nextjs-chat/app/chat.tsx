"use client";

import { createParley } from "parley-client";
import { useConversation } from "parley-client/react";
import { useEffect, useMemo, useState } from "react";
import { userToken } from "./user-token.ts";

interface Server {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly agentId: string;
}

/** A chat, whose conversation is in the page's address: loading the page again continues it. */
export function Chat({ baseUrl, workspaceId, agentId }: Server) {
  const [conversationId, setConversationId] = useState<string>();
  const parley = useMemo(
    () => createParley({ baseUrl, workspaceId, apiKey: userToken }),
    [baseUrl, workspaceId],
  );
  const chat = useConversation({
    parley,
    conversationId,
    agentIds: [agentId],
    onCreate: (id) => {
      history.replaceState(null, "", `#${id}`);
      setConversationId(id);
    },
  });
  useEffect(() => setConversationId(location.hash.slice(1) || undefined), []);

  const [draft, setDraft] = useState("");
  const send = async () => {
    if (await chat.send(draft)) setDraft("");
  };
  return (
    <main>
      <ol>
        {chat.messages.map((message) =>
          message.type === "content_fragment" ? null : (
            <li key={message.sId} data-type={message.type}>
              <p>{message.content}</p>
              {message.type === "agent_message" && message.error !== null && (
                <p role="alert">
                  {message.error.message}{" "}
                  <button onClick={() => void chat.retry(message.sId)}>Try again</button>
                </p>
              )}
            </li>
          ),
        )}
      </ol>
      {chat.approvals.map((approval) => (
        <p key={approval.actionId}>
          May {approval.metadata.agentName} call {approval.metadata.toolName} with{" "}
          <code>{JSON.stringify(approval.inputs)}</code>?{" "}
          <button onClick={() => void chat.decide(approval, "approved")}>Yes</button>{" "}
          <button onClick={() => void chat.decide(approval, "rejected")}>No</button>
        </p>
      ))}
      {chat.questions.map((asked) => (
        <p key={asked.actionId}>
          {asked.question.question}{" "}
          {asked.question.options.map(({ label }, index) => (
            <button
              key={label}
              onClick={() => void chat.answer(asked, { selectedOptions: [index] })}
            >
              {label}
            </button>
          ))}
        </p>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <p role="status">{chat.isReconnecting ? "reconnecting" : chat.status}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          aria-label="Message"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
        <button disabled={draft === "" || chat.status !== "ready"}>Send</button>
        {chat.status === "answering" && (
          <button type="button" onClick={() => void chat.cancel()}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}
