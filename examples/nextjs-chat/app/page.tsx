import { Chat } from "./chat.tsx";

// The settings are those of the running server, not of the build.
export const dynamic = "force-dynamic";

export default function Page() {
  const { PARLEY_URL = "", PARLEY_WORKSPACE = "", PARLEY_AGENT_ID = "helper" } = process.env;
  return <Chat baseUrl={PARLEY_URL} workspaceId={PARLEY_WORKSPACE} agentId={PARLEY_AGENT_ID} />;
}
