// All properties draw by `PARLEY_TEST_SEED`, if it is set.
const seed = process.env["PARLEY_TEST_SEED"];
if (seed !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
