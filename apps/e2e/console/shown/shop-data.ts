import type { RpcClient } from "parley-client";

type Create<Thing extends "agents" | "sandboxFunctions"> = Parameters<
  RpcClient[Thing]["create"]["mutate"]
>[0];
type Program = Extract<Create<"sandboxFunctions">["program"], { type: "simulated" }>;

/** The functions of a made-up shop, each with the inputs that it is invoked with. */
export const functions: readonly {
  readonly slug: string;
  readonly description: string;
  readonly behaviour: Program["behaviour"];
  readonly inputs: readonly object[];
  readonly requiresApproval?: true;
}[] = [
  {
    slug: "find-order",
    description: "Finds an order by its number",
    behaviour: {
      durationMs: 300,
      steps: [
        { at: 0.1, log: { stream: "stdout", text: "looking for the order" } },
        { at: 0.5, progress: { done: 1, total: 2, label: "orders" } },
        { at: 0.9, log: { stream: "stdout", text: "found it among 18,204 orders" } },
      ],
      result:
        '{"orderId": orderId, "status": "shipped", "lines": [{"name": "Trail shoe, 42", "price": 119.9}]}',
    },
    inputs: [{ orderId: "1042" }, { orderId: "1043" }, { orderId: "2177" }],
  },
  {
    slug: "refund-order",
    description: "Refunds an order, or a part of it; asks before it does",
    behaviour: { durationMs: 200, steps: [], result: '{"refunded": orderId, "amount": amount}' },
    inputs: [],
    requiresApproval: true,
  },
  {
    slug: "check-stock",
    description: "Asks the warehouse what it has of a product",
    behaviour: {
      durationMs: 100,
      steps: [{ at: 0.5, log: { stream: "stderr", text: "the warehouse does not answer" } }],
      error: { code: "threw", message: "The warehouse did not answer within 5 seconds" },
    },
    inputs: [{ product: "Trail shoe" }],
  },
  {
    slug: "export-month",
    description: "Writes the sales of a month into a table for the accountants",
    behaviour: {
      durationMs: 500_000,
      steps: [{ at: 0.001, log: { stream: "stdout", text: "day 1 of 30 is written" } }],
      result: '{"rows": 1204}',
    },
    inputs: [{ month: "2026-10" }],
  },
];

const refund = { name: "refund-order", params: { orderId: "1042", amount: 119.9 } };

/** The agents of the shop. */
export const agents: Record<
  "clerk" | "refunder" | "sizes",
  Pick<Create<"agents">, "name" | "description" | "instructions" | "functionIds" | "script">
> = {
  clerk: {
    name: "Order clerk",
    description: "Answers questions about orders, and refunds them",
    instructions:
      "You answer customers of a shoe shop.\n\n- Find the order before you say anything about it.\n- Never promise a date.\n- Ask before you refund.",
    functionIds: ["find-order", "refund-order"],
    script: {
      steps: [
        {
          reasoning: "The customer names an order. I find it first.",
          text: "I look that order up. ",
          toolCalls: [{ name: "find-order", params: { orderId: "1042" } }],
        },
        {
          text: "Your order **1042** is on its way:\n\n| Product | Price |\n| --- | ---: |\n| Trail shoe, 42 | 119.90 |\n\nIt left the warehouse this morning. Shall I do anything else about it?",
        },
      ],
      tokenDelayMs: 0,
    },
  },
  refunder: {
    name: "Refunds",
    description: "Refunds orders that were returned",
    instructions: "Check that the parcel came back. Then refund the order.",
    functionIds: ["find-order", "refund-order"],
    script: {
      steps: [
        { text: "The parcel came back to us. I refund the order. ", toolCalls: [refund] },
        { text: "The refund is on its way: {{result}}" },
      ],
      tokenDelayMs: 0,
    },
  },
  sizes: {
    name: "Size adviser",
    description: "Helps to find the size that fits",
    instructions: "Ask for the size when you are not sure.",
    functionIds: [],
    script: {
      steps: [
        {
          text: "One question first. ",
          toolCalls: [
            {
              name: "ask_user",
              params: {
                question: "Which size do you usually wear?",
                options: [
                  { label: "41 or smaller" },
                  { label: "42 to 44", description: "Most of our models" },
                  { label: "45 or larger", description: "Ordered from the maker" },
                ],
              },
            },
          ],
        },
        { text: "Then take {{result}}." },
      ],
      tokenDelayMs: 0,
    },
  },
};

/** Skill folders of the shop, by name. */
export const skills: Readonly<Record<string, string>> = {
  "answer-politely": `---
name: answer-politely
description: How to write to customers of the shop. Use it for every answer that a customer reads.
---

# Answer politely

1. Greet the customer by name.
2. Say what you found, and where: *order*, **amount**, day.
3. Say what happens next, and who does it.

\`\`\`text
Dear Ada, order 1042 left our warehouse this morning.
\`\`\`
`,
  "return-policy": `---
name: return-policy
description: What may be returned, for how long, and who pays for the parcel.
---

# Returns

Shoes that were not worn outside may be returned for 30 days. We pay for the parcel.
`,
};

/** Documents of the shop's handbook. */
export const documents = [
  { documentId: "opening-hours", title: "Opening hours", tags: ["shop"], text: "Nine to six." },
  {
    documentId: "returns",
    title: "Returns and refunds",
    tags: ["shop", "orders"],
    text: "Shoes may be returned for 30 days, unless they were worn outside.",
  },
  {
    documentId: "sizes",
    title: "Sizes of all makers",
    tags: ["sizes"],
    text: "Trail shoes run small: take one size more than usual.",
  },
];

/** Members of the shop's workspace. */
export const members = [
  { email: "ada@example.com", firstName: "Ada", lastName: "Byron" },
  { email: "grace@example.com", firstName: "Grace", lastName: "Hopper" },
  { email: "alan@example.com", firstName: "Alan", lastName: "Turing" },
];

const shippingCostsOf = (perKilogram: string, free: string) => `interface Parcel {
  kilograms: number;
  country: string;
}

/** The price of a parcel, in euros. */
export default function shippingCosts({ kilograms, country }: Parcel): number {
  const base = country === "FR" ? 4.9 : 9.9;
${free}  return base + kilograms * ${perKilogram};
}
`;

/** The versions of a function with code, the oldest first. */
export const shippingCosts: readonly string[] = [
  shippingCostsOf("1.2", ""),
  shippingCostsOf("1.5", "  if (kilograms < 0.25) return base / 2;\n"),
];
