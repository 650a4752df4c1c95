import { describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// What builders see of models: which there are, and what is missing to use them.

describe("models", () => {
  const server = shareServer({
    PARLEY_MISTRAL_API_KEY: "sk-of-the-deployment",
    PARLEY_OPENAI_COMPATIBLE_URL: "http://127.0.0.1:9/v1",
  });
  const { rpc } = createCalls(server);
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const list = async () => (await rpc().models.list.query(ofDemo())).models;
  const find = async (provider: string) =>
    (await list()).find(({ providerId }) => providerId === provider);

  test("are listed with the credentials that there are, and no secret", async () => {
    await rpc().providerCredentials.put.mutate({
      ...ofDemo(),
      providerId: "xai",
      apiKey: "sk-own",
    });
    // A worker enters itself once it looks for runs.
    const ofDeployment = async () => (await find("mistral"))?.hasDeploymentCredential;
    await expect.poll(ofDeployment, { interval: 20, timeout: 5000 }).toBe(true);
    expect(await find("mistral")).toMatchObject({
      needsCredential: true,
      hasWorkspaceCredential: false,
      isEnabled: false,
    });
    expect(await find("xai")).toMatchObject({
      hasDeploymentCredential: false,
      hasWorkspaceCredential: true,
    });
    expect(await find("openai")).toMatchObject({
      modelId: expect.any(String),
      contextTokens: expect.any(Number),
      takes: [
        expect.objectContaining({ kind: "image" }),
        {
          kind: "pdf",
          contentTypes: ["application/pdf"],
          maxBytes: expect.any(Number),
          maxCount: expect.any(Number),
        },
      ],
      regions: expect.arrayContaining(["us"]),
      needsCredential: true,
      hasDeploymentCredential: false,
      hasWorkspaceCredential: false,
    });
    expect(await find("simulated")).toMatchObject({ needsCredential: false, isEnabled: true });
    expect(JSON.stringify(await list())).not.toContain("sk-");
    await rpc().providerCredentials.remove.mutate({ ...ofDemo(), providerId: "xai" });
    expect(await find("xai")).toMatchObject({ hasWorkspaceCredential: false });
  });

  test("are listed as the workspace has enabled them, those of its own server too", async () => {
    const { models } = await rpc().workspaces.get.query(ofDemo());
    const own = { providerId: "openai_compatible", modelId: "library/llama3.3" };
    const openai = (await find("openai"))!;
    const { providerId, modelId } = openai;
    expect(openai.isEnabled).toBe(false);
    expect(await find(own.providerId)).toBeUndefined();
    const enabled = [...models, { providerId, modelId }, own];
    await rpc().workspaces.update.mutate({ ...ofDemo(), models: enabled });
    expect(await find("openai")).toEqual({ ...openai, isEnabled: true });
    expect(await find(own.providerId)).toEqual({
      ...own,
      contextTokens: null,
      takes: null,
      regions: ["us", "eu"],
      needsCredential: true,
      hasDeploymentCredential: true,
      hasWorkspaceCredential: false,
      isEnabled: true,
    });
  });
});
