import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./addresses.ts";

describe("addresses that may be connected to", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ])("takes %s as public", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1"]],
    ["carrier-grade NAT", ["100.64.0.1", "100.127.255.255"]],
    ["link-local", ["169.254.0.1", "fe80::1", "fe80::1%eth0"]],
    ["unique-local", ["fc00::1", "fdff::1"]],
    ["site-local", ["fec0::1"]],
    ["multicast and broadcast", ["224.0.0.1", "239.1.1.1", "255.255.255.255", "ff02::1"]],
    [
      "reserved",
      ["192.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.1", "240.0.0.1", "2001:db8::1"],
    ],
    ["metadata of clouds", ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192"]],
    ["metadata over IPv6", ["fd00:ec2::254", "fd20:ce::254"]],
    ["mapped", ["::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1"]],
    ["compatible", ["::127.0.0.1", "::808:808"]],
    ["translated", ["64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::10.0.0.1"]],
    ["6to4", ["2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1"]],
    ["Teredo", ["2001:0:4136:e378:8000:63bf:3fff:fdd2"]],
    ["not addresses", ["", "localhost", "1.2.3.4.5", "8.8.8.8/8", "[::1]"]],
  ])("takes %s as not public", (_name, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it("refuses in IPv6 what it refuses in IPv4", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });
});
