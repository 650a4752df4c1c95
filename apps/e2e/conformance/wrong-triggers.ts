type Call = (name: string, input: object) => Promise<string>;
type Inputs = Readonly<Record<string, () => Promise<{ readonly input: object }>>>;

const nobody = "nobody";

/** What provokes each error of what a trigger starts. */
const wrong: Readonly<Record<string, object>> = {
  agent_not_found: { agent: { agentId: nobody } },
  conversation_not_found: { agent: { agentId: "helper", conversationId: nobody } },
  space_not_found: { agent: { agentId: "helper", spaceId: nobody } },
  api_key_not_found: { agent: { agentId: "helper" }, keyId: nobody },
  sandbox_function_not_found: { agent: null, function: { functionId: nobody } },
};

/** The errors of triggers that name what does not exist: what provokes each gives the type of a call's error. */
export function wrongTriggers(
  mutations: Inputs,
  { call, byBuilder }: { call: Call; byBuilder: Call },
): Readonly<Record<string, () => Promise<string>>> {
  const names = ["triggers.create", "triggers.update"];
  const ofTargets = names.flatMap((name) =>
    Object.entries(wrong).map(([type, members]) => [
      `${name} ${type}`,
      async () => {
        const { keyId } = (await mutations["triggers.create"]!()).input as { keyId: string };
        return call(name, { ...(await mutations[name]!()).input, keyId, ...members });
      },
    ]),
  );
  const ofRoles = names.map((name) => [
    `${name} app_auth_error`,
    async () => {
      const { input } = await mutations["triggers.create"]!();
      const { keyId } = input as { keyId: string };
      return byBuilder(name, { ...(await mutations[name]!()).input, keyId });
    },
  ]);
  return Object.fromEntries([...ofTargets, ...ofRoles]) as Record<string, () => Promise<string>>;
}
