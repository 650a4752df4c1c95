export { type FaultName, faults } from "./hostile-faults.ts";
export { type HostileServer, startHostileServer } from "./hostile-server.ts";
export { holdRefusingPort } from "./refusing-port.ts";
export { type RealServer, startPublished } from "./real-servers.ts";
