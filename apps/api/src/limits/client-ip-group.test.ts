import { describe, expect, it } from "vitest";
import { clientIpGroup } from "./client-ip-group.ts";

describe("clientIpGroup", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["2001:DB8:1:2::ffff", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["::1", "0:0:0:0"],
    ["not an address", "unknown"],
    ["", "unknown"],
    [undefined, "unknown"],
  ])("counts %s as %s", (address, group) => {
    expect(clientIpGroup(address)).toBe(group);
  });
});
