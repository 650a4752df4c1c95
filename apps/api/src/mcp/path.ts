/** Path of the MCP server. */
export const MCP_PATH = "/mcp";

/** Most values of a message: the protocol's code takes 0.8 s of the event loop to check 90,000 members. */
export const MAX_MESSAGE_VALUES = 20_000;
