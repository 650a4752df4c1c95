export * from "./hostile-documents.ts";
export * from "./make-office.ts";
export * from "./make-pdf.ts";
