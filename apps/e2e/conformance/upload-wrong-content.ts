import { FileAnswer } from "@parley/schema";
import { jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

/** Uploads as a PDF what is none, and gives the type of the error. */
export async function uploadWrongContent(server: Server): Promise<string> {
  const contentType = "application/pdf";
  const json = { contentType, fileName: "x", fileSize: 1, useCase: "conversation" };
  const announced = await send(server, { path: `${pathsOf(server).workspace}/files`, json });
  const { uploadUrl } = jsonOf(announced, FileAnswer).parsed.file;
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\nContent-Type: ${contentType}\r\n\r\nx\r\n--b--\r\n`;
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const path = uploadUrl.slice(new URL(uploadUrl).origin.length);
  const { text } = await send(server, { path, body, headers });
  return (JSON.parse(text) as { error: { type: string } }).error.type;
}
