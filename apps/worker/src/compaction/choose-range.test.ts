import { takenFiles } from "@parley/core";
import { expect, it } from "vitest";
import { bytesInPrompt } from "./choose-range.ts";

const png = {
  contentType: "image/PNG; x=1",
  sizeBytes: 2_000_000,
  isOfCall: false,
  textBytes: null,
};
const pdf = { contentType: "application/pdf", sizeBytes: 500_000, isOfCall: false, textBytes: 900 };
const docx = {
  contentType: "application/msword",
  sizeBytes: 9000,
  isOfCall: false,
  textBytes: 4000,
};
const seeing = { providerId: "openai", takes: takenFiles("openai", ["image", "pdf"]) };
const blind = { providerId: "openai", takes: [] };

it.each([
  ["nothing", [], seeing, 0],
  ["an image as 1,600 tokens", [png], seeing, 4800],
  ["a PDF by its size", [pdf], seeing, 75_000],
  ["what is not taken by its text", [pdf, docx], blind, 4900],
  ["an image that is not taken as nothing", [png], blind, 0],
  ["a file that is too large by its text", [{ ...pdf, sizeBytes: 1e9 }], seeing, 900],
  ["the image of a call", [{ ...png, isOfCall: true }], seeing, 4800],
  [
    "the image of a call for a service that takes none of tools as nothing",
    [{ ...png, isOfCall: true }],
    { ...seeing, providerId: "mistral" },
    0,
  ],
  ["several", [png, docx], seeing, 8800],
])("counts %s", (_what, files, model, bytes) => {
  expect(bytesInPrompt(files, model)).toBe(bytes);
});
