/** What every feature of the console is built on. */
const page = ["api", "ui", "routing"];

/** Features, of which one may use what stands before it, and the app that puts them together. */
const features: Readonly<Record<string, readonly string[]>> = {
  editor: ["ui"],
  "saved-views": ["api", "ui"],
  search: [...page, "saved-views"],
  "functions/types": ["editor"],
  "functions/edit": ["api", "ui", "editor", "functions/types"],
  "functions/versions": ["api", "ui", "functions/edit"],
  traces: ["api", "ui"],
  functions: [...page, "functions/edit", "functions/versions", "traces"],
  tools: [...page, "functions"],
  "conversations/search": ["api", "ui", "saved-views"],
  conversations: [...page, "traces", "functions", "conversations/search"],
  approvals: [...page, "conversations"],
  feedback: page,
  agents: [...page, "editor", "conversations"],
  skills: page,
  knowledge: page,
  memories: page,
  runs: [...page, "saved-views"],
  overview: page,
  usage: [...page, "saved-views"],
  alerts: page,
  schedules: page,
  triggers: page,
  webhooks: page,
  "trace-destinations": page,
  administration: [...page, "saved-views"],
  operators: [...page, "administration"],
};

/** The rooms of the console, as `rooms.ts` has those of the other packages. */
export const console: Readonly<Record<string, readonly string[]>> = {
  api: [],
  ui: ["api"],
  routing: ["api"],
  ...features,
  app: [...page, ...Object.keys(features)],
  "main.tsx": ["api", "ui", "app"],
};
