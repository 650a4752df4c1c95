export * from "./make-office.ts";
export * from "./make-pdf.ts";
