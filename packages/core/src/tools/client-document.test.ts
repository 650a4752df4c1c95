import { expect, it } from "vitest";
import { clientDocumentUrl, renderClientDocument } from "./client-document.ts";

it.each([
  ["https://parley.example.com", "https://parley.example.com/oauth/client-metadata.json"],
  ["https://parley.example.com/base", "https://parley.example.com/base/oauth/client-metadata.json"],
  // Ids are compared as they are, without normalizing.
  ["https://Parley.example.com:443", "https://parley.example.com/oauth/client-metadata.json"],
  ["https://parley.example.com/a/../b", "https://parley.example.com/b/oauth/client-metadata.json"],
  ["http://parley.example.com", undefined],
  ["https://user:secret@parley.example.com", undefined],
  ["https://parley.example.com/?a=b", undefined],
  ["https://parley.example.com/#a", undefined],
  ["", undefined],
])("the document of %s is at %s", (publicUrl, expected) => {
  expect(clientDocumentUrl(publicUrl)).toBe(expected);
});

it("names the one address that its users are sent back to", () => {
  expect(renderClientDocument("https://Parley.example.com/base")).toMatchObject({
    client_id: "https://parley.example.com/base/oauth/client-metadata.json",
    client_uri: "https://parley.example.com/base",
    redirect_uris: ["https://Parley.example.com/base/oauth/callback/document"],
  });
});
