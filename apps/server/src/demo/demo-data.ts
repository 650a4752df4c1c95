import {
  JavaScriptProgram,
  type SimulatedProgram,
  type SimulatedScript,
  type StoredJavaScript,
} from "@parley/schema";

interface DemoAgent {
  readonly slug: string;
  readonly description: string;
  readonly script: SimulatedScript;
}

/** The agents of the demo workspace; the slug is their id and name. */
export const demoAgents: readonly DemoAgent[] = [
  {
    slug: "helper",
    description: "Answers at once",
    script: {
      steps: [{ text: "You said: {{message}}\nI am a simulated agent, glad to help." }],
      tokenDelayMs: 0,
    },
  },
  {
    slug: "slowpoke",
    description: "Streams its answer for about two seconds",
    script: {
      steps: [
        {
          reasoning: "Let me think about that slowly.",
          text:
            "I take my time, so that you can watch the words arrive one after the other, " +
            "lose the connection in the middle of a sentence, come back with the number of " +
            "the last event you have, and find that nothing is missing.",
        },
      ],
      tokenDelayMs: 40,
    },
  },
  {
    slug: "faulty",
    description: "Always fails",
    script: {
      steps: [
        {
          text: "I will try, but ",
          error: { code: "simulated_failure", message: "This agent always fails" },
        },
      ],
      tokenDelayMs: 0,
    },
  },
];

interface DemoFunction {
  readonly slug: string;
  readonly description: string;
  readonly program: SimulatedProgram | StoredJavaScript;
  readonly inputSchema?: Record<string, unknown>;
}

const invoiceSource = `export default function ({ lines }, { log, progress }) {
  let total = 0;
  lines.forEach(({ name, price, quantity }, index) => {
    log("info", \`\${name}: \${quantity} x \${price}\`);
    total += quantity * price;
    progress((index + 1) / lines.length, name);
  });
  return { total };
}
`;

/** The sandbox functions of the demo workspace. */
export const demoFunctions: readonly DemoFunction[] = [
  {
    slug: "add",
    description: "Adds two numbers: {a, b} → {sum}",
    program: {
      type: "simulated",
      behaviour: { durationMs: 0, steps: [], result: '{"sum": a + b}' },
    },
  },
  {
    slug: "word-count",
    description: "Counts the words of a text: {text} → {words}",
    program: {
      type: "simulated",
      behaviour: {
        durationMs: 0,
        steps: [],
        result: '{"words": $count($split($trim(text), /\\s+/)[$length($) > 0])}',
      },
    },
  },
  {
    slug: "invoice-total",
    description: "Adds up an invoice with real code: {lines: [{name, price, quantity}]} → {total}",
    program: {
      ...JavaScriptProgram.parse({ type: "javascript", source: invoiceSource }),
      // A single module without types is its own bundle.
      bundle: { code: invoiceSource, map: "{}" },
    },
    inputSchema: {
      type: "object",
      properties: {
        lines: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              price: { type: "number" },
              quantity: { type: "number" },
            },
            required: ["name", "price", "quantity"],
          },
        },
      },
      required: ["lines"],
    },
  },
  {
    slug: "slow-steps",
    description: "Takes about two seconds, prints and reports progress on the way",
    program: {
      type: "simulated",
      behaviour: {
        durationMs: 2000,
        steps: [1, 2, 3, 4].map((step) => ({
          at: step / 5,
          log: { stream: "stdout" as const, text: `step ${step} of 4 is done` },
          progress: { done: step, total: 4, label: `step ${step}` },
        })),
        result: '{"steps": 4}',
      },
    },
  },
  {
    slug: "always-fails",
    description: "Always fails",
    program: {
      type: "simulated",
      behaviour: {
        durationMs: 0,
        steps: [{ at: 0, log: { stream: "stderr", text: "about to fail" } }],
        error: { code: "threw", message: "This function always fails" },
      },
    },
  },
];
