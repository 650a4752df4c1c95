function readPair(text: string): object | undefined {
  const [, providerId, modelId] = /^([\w-]+)\/(\S+)$/.exec(text) ?? [];
  return modelId === undefined ? undefined : { providerId, modelId };
}

/** How an option gives a model: `provider/model`, or JSON with a temperature. */
export const model = { form: "provider/model", read: readPair };

/** How an option gives models in their order: `provider/model,provider/model`, or JSON. */
export const models = {
  form: "provider/model,…",
  read: (text: string): object | undefined => {
    const pairs = text.split(",").map((one) => readPair(one.trim()));
    return pairs.includes(undefined) ? undefined : pairs;
  },
};
