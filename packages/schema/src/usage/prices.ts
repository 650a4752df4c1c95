import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, optional, text } from "../parsing/text.ts";
import { Time } from "../parsing/times.ts";
import { ModelPair } from "../workspaces/models.ts";
import { Amount, Currency, PaidAmount } from "../parsing/amounts.ts";

const perMillion = (tokens: string) => PaidAmount.describe(`Price of a million ${tokens}`);

const rates = {
  input: perMillion("tokens of prompts"),
  cachedInput: perMillion("tokens of prompts that came from a cache"),
  cacheWrite: perMillion("tokens of prompts that were written to a cache"),
  output: perMillion("tokens of answers"),
  reasoning: perMillion("tokens of answers that are reasoning"),
  image: perMillion("tokens of prompts that are images"),
};

/** What a million tokens of each kind cost. */
export const TokenPrice = z.object({
  ...rates,
  longPrompts: z
    .object({
      aboveTokens: z.int().describe("A prompt is long if it has more tokens than this"),
      ...rates,
    })
    .nullable()
    .describe("What all tokens of calls with long prompts cost; null if the same"),
});
export type TokenPrice = z.infer<typeof TokenPrice>;

const ofModel = {
  providerId: z.string().describe("Provider of the model").meta({ example: "openai" }),
  modelId: z.string().describe("Model of the provider").meta({ example: "gpt-5" }),
};
const note = z.string().nullable().describe("Note of whoever set it, such as where it is from");

export const PriceOrigin = z.enum(["shipped", "operator", "workspace"]);
export type PriceOrigin = z.infer<typeof PriceOrigin>;

/** What a model costs now. */
export const ModelPrice = z.object({
  ...ofModel,
  currency: z.string().describe("Currency of the price").meta({ example: "USD" }),
  price: TokenPrice.nullable().describe("Its price; null if none is known"),
  origin: PriceOrigin.nullable().describe(
    "Whose price it is: shipped with the server, an operator's or the workspace's own; null without a price",
  ),
  source: z
    .string()
    .nullable()
    .describe("URL of the list that a shipped price is from; null for others and free models"),
  checkedOn: z.string().nullable().describe("Day on which a shipped price was last read there"),
  note,
  validFrom: Milliseconds.nullable().describe("Since when it counts; null for a free model"),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** A price that was set. */
export const SetModelPrice = z.object({
  ...ofModel,
  currency: z.string().describe("Currency of the price").meta({ example: "USD" }),
  price: TokenPrice.nullable().describe("The price; null if it is removed from then on"),
  note,
  validFrom: Milliseconds.describe("From when it counts"),
});
export type SetModelPrice = z.infer<typeof SetModelPrice>;

export const PriceList = z.object({
  currency: z.string().describe("Currency of the workspace").meta({ example: "USD" }),
  prices: z.array(ModelPrice).describe("The enabled models, each with what it costs now"),
  upcoming: z
    .array(
      SetModelPrice.extend({
        origin: PriceOrigin.describe("Whether an operator or the workspace has set it"),
      }),
    )
    .describe("Prices that do not count yet, the next one first"),
});
export type PriceList = z.infer<typeof PriceList>;

const SetPriceMembers = ModelPair.extend({
  input: Amount.describe("Price of a million tokens of prompts"),
  output: Amount.describe("Price of a million tokens of answers"),
  cachedInput: optional(Amount).describe(
    "Price of a million tokens that came from a cache; that of input by default",
  ),
  cacheWrite: optional(Amount).describe(
    "Price of a million tokens that were written to a cache; that of input by default",
  ),
  reasoning: optional(Amount).describe(
    "Price of a million tokens of reasoning; that of output by default",
  ),
  image: optional(Amount).describe("Price of a million tokens of images; that of input by default"),
  note: optional(text(500)).describe("Note, such as where the price is from"),
  validFrom: optional(Time).describe("From when it counts; from now by default"),
  currency: optional(Currency).describe("Currency of the price"),
});

export const SetPrice = WorkspaceParams.extend({
  ...SetPriceMembers.shape,
  currency: optional(Currency).describe("Currency; it can only be that of the workspace"),
});
export type SetPrice = z.output<typeof SetPrice>;

export const SetServerPrice = SetPriceMembers.extend({
  currency: Currency.default("USD").describe("Currency: it counts in workspaces with the same"),
});
export type SetServerPrice = z.output<typeof SetServerPrice>;

export const RemovePrice = WorkspaceParams.extend(ModelPair.shape);
export type RemovePrice = z.output<typeof RemovePrice>;

export const RemoveServerPrice = ModelPair.extend({
  currency: Currency.default("USD").describe("Currency of the price"),
});
export type RemoveServerPrice = z.output<typeof RemoveServerPrice>;

export const ServerPriceList = z.object({
  prices: z
    .array(SetModelPrice)
    .describe("Prices of operators that count now or later, by model, currency and time"),
});
export type ServerPriceList = z.infer<typeof ServerPriceList>;

const path = `${administered}/prices` as const;
const serverPath = "/api/admin/prices";
const WrittenPrice = z.object({ price: SetModelPrice.describe("The price") });
const ofPair = { subject: ["providerId", "modelId"], storesLittle: true } as const;

/** Operations on the prices of models, of a workspace and of the server. */
export const priceEndpoints = {
  "prices.list": {
    ...administer({ role: "builder", method: "GET", path, input: WorkspaceParams }),
    summary: "List what the enabled models cost",
    output: PriceList,
  },
  "prices.set": {
    ...administer({ role: "admin", method: "POST", path, input: SetPrice }),
    ...ofPair,
    summary: "Set what a model costs in the workspace",
    output: WrittenPrice,
    errors: ["workspace_not_found", "model_disabled"],
  },
  "prices.remove": {
    ...administer({ role: "admin", method: "DELETE", path, input: RemovePrice }),
    ...ofPair,
    summary: "Remove the workspace's price of a model",
    output: Success,
    errors: ["workspace_not_found", "price_not_found"],
  },
  "prices.listServer": {
    ...administer({ role: "operator", method: "GET", path: serverPath, input: z.object({}) }),
    summary: "List the prices that operators have set",
    output: ServerPriceList,
    errors: [],
  },
  "prices.setServer": {
    ...administer({ role: "operator", method: "POST", path: serverPath, input: SetServerPrice }),
    ...ofPair,
    summary: "Set what a model costs in all workspaces without a price of their own",
    output: WrittenPrice,
    errors: ["model_disabled"],
  },
  "prices.removeServer": {
    ...administer({
      role: "operator",
      method: "DELETE",
      path: serverPath,
      input: RemoveServerPrice,
    }),
    ...ofPair,
    summary: "Remove the operators' price of a model",
    output: Success,
    errors: ["price_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
