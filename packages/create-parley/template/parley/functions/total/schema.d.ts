// Written from function.json by parley functions dev: change the schemas there.

/** What the function is given. */
export type Input = {
  items: Array<{
    name: string;
    cents: number;
    count: number;
  }>;
};

/** What it returns. */
export type Result = string;
