/** How an option gives a model: `provider/model`, or JSON with a temperature. */
export const model = {
  form: "provider/model",
  read: (text: string): object | undefined => {
    const [, providerId, modelId] = /^([\w-]+)\/(\S+)$/.exec(text) ?? [];
    return modelId === undefined ? undefined : { providerId, modelId };
  },
};
