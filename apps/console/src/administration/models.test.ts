import { expect, it } from "vitest";
import { changeOfModel, credentialOf, keyOf } from "./models.ts";

const fireworks = { providerId: "fireworks", modelId: "accounts/fireworks/models/kimi" };

it("names a model as commands do", () => {
  expect(keyOf(fireworks)).toBe("fireworks/accounts/fireworks/models/kimi");
});

it("changes one model, and sends no other", () => {
  expect(changeOfModel({ ...fireworks, isEnabled: true })).toEqual({ disableModels: [fireworks] });
  expect(changeOfModel({ ...fireworks, isEnabled: false })).toEqual({ enableModels: [fireworks] });
});

it.each([
  [false, false, false, "not needed"],
  [true, true, true, "workspace"],
  [true, false, true, "server"],
  [true, false, false, "none"],
])("says which credential is used: %s, %s, %s", (needs, ofWorkspace, ofServer, words) => {
  const model = {
    needsCredential: needs,
    hasWorkspaceCredential: ofWorkspace,
    hasDeploymentCredential: ofServer,
  };
  expect(credentialOf(model)).toBe(words);
});
