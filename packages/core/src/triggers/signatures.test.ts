import { createHmac } from "node:crypto";
import { sign } from "@octokit/webhooks-methods";
import type { SignedTriggerSource } from "@parley/schema";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { describe, expect, it } from "vitest";
import { findSecretFault, findSignatureFault } from "./signatures.ts";

const NOW = 1_780_000_000_000;
const SECONDS = NOW / 1000;
const body = Buffer.from('{"id":"evt_1","text":"é \\u2028","n":1.50}');
const plain = "a secret of a source";
const standard = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

type Signed = [
  name: string,
  source: SignedTriggerSource,
  secret: string,
  sign: (secret: string, at: number) => Record<string, string> | Promise<Record<string, string>>,
  // Headers that the signature covers besides the body.
  covered: string[],
];

const slackOf = (secret: string, at: number) => {
  const hmac = createHmac("sha256", secret).update(`v0:${at}:`).update(body);
  return {
    "x-slack-request-timestamp": String(at),
    "x-slack-signature": `v0=${hmac.digest("hex")}`,
  };
};

const forms: Signed[] = [
  [
    "Standard Webhooks",
    { type: "standard_webhooks" },
    standard,
    (secret, at) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} ${new Webhook(secret).sign("msg_1", new Date(at * 1000), body)}`,
    }),
    ["webhook-id", "webhook-timestamp"],
  ],
  [
    "GitHub",
    { type: "github" },
    plain,
    async (secret) => ({ "x-hub-signature-256": await sign(secret, body.toString()) }),
    [],
  ],
  [
    "Stripe",
    { type: "stripe" },
    plain,
    (secret, at) => ({
      "stripe-signature": Stripe.webhooks.generateTestHeaderString({
        payload: body.toString(),
        secret,
        timestamp: at,
      }),
    }),
    [],
  ],
  ["Slack", { type: "slack" }, plain, slackOf, ["x-slack-request-timestamp"]],
  [
    "an HMAC in base64",
    { type: "hmac", header: "X-Shop-Hmac", algorithm: "sha512", encoding: "base64", prefix: "" },
    plain,
    (secret) => ({ "x-shop-hmac": createHmac("sha512", secret).update(body).digest("base64") }),
    [],
  ],
  [
    "an HMAC in hex after a prefix",
    { type: "hmac", header: "Signature", algorithm: "sha1", encoding: "hex", prefix: "sha1=" },
    plain,
    (secret) => ({ signature: `sha1=${createHmac("sha1", secret).update(body).digest("hex")}` }),
    [],
  ],
];

const flipped = (bytes: Uint8Array, index: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[index]! ^= 1;
  return changed;
};

describe.each(forms)("signatures of %s", (_name, source, secret, signed, covered) => {
  const find = (
    headers: Record<string, string>,
    { bytes = body, secrets = [secret] }: { bytes?: Uint8Array; secrets?: string[] } = {},
  ) => findSignatureFault(source, { headers, body: bytes }, { secrets, now: NOW });

  it("are accepted, also with a secret that is being replaced", async () => {
    const headers = await signed(secret, SECONDS);
    expect(find(headers)).toBeUndefined();
    const other = source.type === "standard_webhooks" ? `whsec_${"A".repeat(44)}` : "another one";
    expect(find(headers, { secrets: [other, secret] })).toBeUndefined();
    expect(find(headers, { secrets: [other] })).toBe("the signature does not match");
    expect(find(headers, { secrets: [] })).toBe("the signature does not match");
  });

  it("are refused for each byte that is changed, left out or added", async () => {
    const headers = await signed(secret, SECONDS);
    for (let index = 0; index < body.length; index++) {
      expect(find(headers, { bytes: flipped(body, index) })).toBeDefined();
    }
    expect(find(headers, { bytes: body.subarray(1) })).toBeDefined();
    expect(find(headers, { bytes: Buffer.concat([body, Buffer.from(" ")]) })).toBeDefined();
    for (const name of covered) expect(find({ ...headers, [name]: "1" })).toBeDefined();
  });

  it("are refused for each character of the signature that is changed", async () => {
    const headers = await signed(secret, SECONDS);
    const name = Object.keys(headers).findLast((one) => /signature|hmac/.test(one))!;
    const value = headers[name]!;
    // Of the last sign of base64 only some bits count.
    for (let index = 0; index < value.length - 2; index++) {
      const isOther = value.slice(0, index).includes("v1,") || source.type !== "standard_webhooks";
      const isUnused = source.type === "standard_webhooks" && index <= value.indexOf(" ");
      if (!isOther || isUnused) continue;
      const changed =
        value.slice(0, index) + (value[index] === "0" ? "1" : "0") + value.slice(index + 1);
      expect(find({ ...headers, [name]: changed }), changed).toBeDefined();
    }
    const { [name]: _left, ...without } = headers;
    expect(find(without)).toMatch(/no signature of this source|does not match/);
    for (const odd of ["", "=", "v1", "t=", "sha256=", "v0=", ",,,", "v1=zz,t=1"]) {
      expect(find({ ...headers, [name]: odd })).toBeDefined();
    }
  });
});

const timed = forms.filter(([, { type }]) =>
  ["standard_webhooks", "stripe", "slack"].includes(type),
);
describe.each(timed)("times that are signed by %s", (_name, source, secret, signed) => {
  it("are within five minutes of now", async () => {
    const find = async (at: number) => {
      const headers = await signed(secret, at);
      return findSignatureFault(source, { headers, body }, { secrets: [secret], now: NOW });
    };
    for (const offset of [-300, 0, 300]) expect(await find(SECONDS + offset)).toBeUndefined();
    for (const offset of [-301, 301]) {
      expect(await find(SECONDS + offset)).toMatch(/more than five minutes/);
    }
  });
});

it("secrets of Standard Webhooks are bytes in base64", () => {
  const source = { type: "standard_webhooks" } as const;
  expect(findSecretFault(source, standard)).toBeUndefined();
  for (const secret of [plain, "whsec_", "whsec_c2hvcnQ=", "whsec_%%%%"]) {
    expect(findSecretFault(source, secret)).toMatch(/must be whsec_/);
  }
  expect(findSecretFault({ type: "github" }, plain)).toBeUndefined();
});
