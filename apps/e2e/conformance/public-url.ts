/** What the conformance servers call themselves; nothing listens there. */
export const publicUrl = "https://parley.example/base";
