import { describe, expect, it } from "vitest";
import { ApiSettings } from "../config.ts";
import { readIssuer } from "./read-issuer.ts";

const read = (settings: Record<string, string>) => readIssuer(ApiSettings.parse(settings));

const complete = {
  PARLEY_OIDC_ISSUER: "https://id.example.com",
  PARLEY_OIDC_AUDIENCE: "parley",
  PARLEY_OIDC_WORKSPACE: "Ab3dE5fG7h",
};

describe("readIssuer", () => {
  it("gives none by default", () => {
    expect(read({})).toBeUndefined();
  });

  it("reads a complete issuer, with asymmetric algorithms", () => {
    expect(read(complete)).toEqual({
      url: "https://id.example.com",
      audience: "parley",
      algorithms: ["RS256", "ES256"],
      allowsLoopback: false,
      workspace: { sid: "Ab3dE5fG7h" },
    });
    expect(read({ ...complete, PARLEY_OIDC_ALGORITHMS: "EdDSA" })?.algorithms).toEqual(["EdDSA"]);
    expect(() => read({ ...complete, PARLEY_OIDC_ALGORITHMS: "HS256" })).toThrow("must be one of");
  });

  it.each([
    [{ PARLEY_OIDC_ISSUER: "http://127.0.0.1:9" }, "https"],
    [{ PARLEY_OIDC_ISSUER: "http://id.example.com", PARLEY_OIDC_LOOPBACK: "true" }, "https"],
    [{ PARLEY_OIDC_WORKSPACE_CLAIM: "both" }, "either"],
  ])("refuses %j", (changed, message) => {
    expect(() => read({ ...complete, ...changed })).toThrow(message);
  });

  it("refuses one without an audience, or without a workspace", () => {
    const { PARLEY_OIDC_AUDIENCE: _audience, ...withoutAudience } = complete;
    expect(() => read(withoutAudience)).toThrow("needs PARLEY_OIDC_AUDIENCE");
    const { PARLEY_OIDC_WORKSPACE: _workspace, ...withoutWorkspace } = complete;
    expect(() => read(withoutWorkspace)).toThrow("PARLEY_OIDC_WORKSPACE_CLAIM");
  });
});
