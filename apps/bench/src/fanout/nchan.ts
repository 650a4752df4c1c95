import { access, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory, pinToCore, startListening } from "../child-process.ts";
import { listChildren } from "../proc.ts";
import { channels, type FanoutServer, localUrl, publishByPost, SERVER_CORE } from "./subjects.ts";

const NGINX = "/usr/sbin/nginx";
const MODULE = "/usr/lib/nginx/modules/ngx_nchan_module.so";

/** Why nginx with nchan cannot be measured here; undefined if it can. */
export async function nchanIsMissing(): Promise<string | undefined> {
  for (const file of [NGINX, MODULE]) {
    const found = await access(file).then(
      () => true,
      () => false,
    );
    if (!found) return `${file} is missing (packages nginx and libnginx-mod-nchan)`;
  }
  return undefined;
}

/** nginx with nchan, published to by POST: one worker, nothing stored. */
export const nchan: FanoutServer = {
  name: "nchan",
  start: async (resources) => {
    const directory = await makeDirectory(resources);
    const file = path.join(directory, "nginx.conf");
    const nginx = await startListening(resources, {
      name: "nginx",
      program: NGINX,
      argumentsFor: async (port) => {
        await writeFile(file, configuration(port));
        return ["-p", directory, "-c", file, "-e", "stderr"];
      },
    });
    const { port } = nginx;
    const pid = await nginx.waitFor(async () => (await listChildren(nginx.pid))[0]);
    await pinToCore(pid, SERVER_CORE);
    return {
      ...channels(port, "/follow"),
      pid,
      publish: (plan) => publishByPost(plan, (log) => localUrl(port, `/publish/${log}`)),
      collectGarbage: async () => {},
    };
  },
};

const configuration = (port: number): string => `
load_module ${MODULE};
daemon off;
pid nginx.pid;
error_log stderr error;
worker_processes 1;
worker_rlimit_nofile 20000;
events { worker_connections 16000; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000;
  nchan_store_messages off;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location ~ ^/follow/(\\w+)$ { nchan_subscriber eventsource; nchan_channel_id $1; }
    location ~ ^/publish/(\\w+)$ { nchan_publisher; nchan_channel_id $1; }
  }
}
`;
