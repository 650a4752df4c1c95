/** Names the folder of the modules of a run's build of the server, for a run of Vitest that has one. */
export const BUILD_VARIABLE = "PARLEY_TEST_BUILD";

/** That folder, if the run has a build. */
export const buildOfRun = (): string | undefined => process.env[BUILD_VARIABLE];
