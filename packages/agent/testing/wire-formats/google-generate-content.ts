import { refuseContents } from "./call-rules.ts";
import { requireGoogleSizes } from "./file-rules.ts";
import {
  bytesOf,
  isCorrection,
  type ReadFile,
  requireType,
  sinceQuestion,
  type WireFormat,
} from "./wire-format.ts";

interface Content {
  role?: string;
  parts: {
    text?: string;
    functionCall?: object;
    functionResponse?: { response: { content?: unknown }; parts?: unknown };
    inlineData?: { mimeType?: string; data?: string };
    fileData?: unknown;
  }[];
}

const types = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|audio\/[\w-]+)$/;

function filesOf(contents: readonly Content[]): ReadFile[] {
  return contents.flatMap(({ parts }, index) => {
    const before = contents[index - 1]?.parts.some(({ functionResponse }) => functionResponse);
    const isOfResult = before === true || parts.some(({ functionResponse }) => functionResponse);
    return parts.flatMap(({ inlineData, fileData, functionResponse }): ReadFile[] => {
      if (fileData !== undefined) throw new Error("fileData: a file was not inline");
      if (functionResponse?.parts !== undefined) throw new Error("functionResponse has parts");
      if (inlineData === undefined) return [];
      const { mimeType: contentType = "", data } = inlineData;
      requireType({ contentType }, types);
      return [{ contentType, bytes: bytesOf(data), isOfResult }];
    });
  });
}

/** Google's generateContent, as a stream of Server-Sent Events. */
export const googleGenerateContent: WireFormat = {
  path: /:streamGenerateContent$/,
  credential: ["x-goog-api-key", ""],
  read: (body) => {
    const { contents, systemInstruction, generationConfig } = body as {
      contents: Content[];
      systemInstruction?: Content;
      generationConfig?: { responseMimeType?: string; responseJsonSchema?: object };
    };
    const files = filesOf(contents);
    requireGoogleSizes(files);
    const asked = contents.findLast(
      ({ role, parts }) => role === "user" && parts.some(({ text }) => text !== undefined),
    );
    const turn = sinceQuestion(contents, ({ role, parts }) =>
      role === "user" ? parts.find(({ text }) => text !== undefined)?.text : undefined,
    );
    const answers = turn.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) => functionResponse ?? []),
    );
    const called = turn.filter(({ parts }) =>
      parts.some(({ functionCall, text = "" }) => functionCall !== undefined || isCorrection(text)),
    );
    return {
      message: asked?.parts.findLast(({ text }) => text !== undefined)?.text ?? "",
      result: String(answers.at(-1)?.response.content ?? ""),
      step: called.length,
      instructions: systemInstruction?.parts.map(({ text }) => text ?? "").join("") ?? "",
      files,
      answerFormat:
        generationConfig?.responseJsonSchema ??
        (generationConfig?.responseMimeType === "application/json" ? "json" : undefined),
    };
  },
  refuseCalls: (body) => refuseContents(body as Parameters<typeof refuseContents>[0]),
  encode: ({ model, reasoning, text, toolCalls, step, counts }) => {
    const { input, output, cached, reasoning: thoughts = 0 } = counts;
    const frame = (parts: object[], more: object = {}) =>
      `data: ${JSON.stringify({
        candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
        usageMetadata: {
          promptTokenCount: input,
          // Without its thoughts.
          candidatesTokenCount: output - thoughts,
          totalTokenCount: input + output,
          ...(cached !== undefined && { cachedContentTokenCount: cached }),
          ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
        },
        modelVersion: model,
        responseId: "response_1",
      })}`;
    return [
      ...reasoning.map((piece) => frame([{ text: piece, thought: true }])),
      ...text.map((piece) => frame([{ text: piece }])),
      // Calls come whole; only the first of a step is signed.
      ...toolCalls.map(({ name, params: args }, position) =>
        frame([
          {
            functionCall: { name, args },
            ...(position === 0 && { thoughtSignature: `signed_${step}` }),
          },
        ]),
      ),
      frame([{ text: "" }], { finishReason: "STOP" }),
    ];
  },
  withhold: (frame) => frame.replace('"STOP"', '"SAFETY"'),
  breakOff: (message) =>
    `data: ${JSON.stringify({ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } })}`,
  refuse: (status, message) => {
    const statuses: Record<number, string> = {
      400: "INVALID_ARGUMENT",
      401: "UNAUTHENTICATED",
      429: "RESOURCE_EXHAUSTED",
      503: "UNAVAILABLE",
    };
    return { error: { code: status, message, status: statuses[status] ?? "INTERNAL" } };
  },
};
