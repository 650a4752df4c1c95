// What the first list costs at least: the rows of the skills of one status, their files and tools
// read through pg, and one JSON.stringify.
// Usage: node list-rows.ts [port], with DATABASE_URL; a GET names the status in its path.
import { createServer, type ServerResponse } from "node:http";
import pg from "pg";
import { readSettings } from "../config.ts";

interface OfSkill {
  readonly skill_id: string;
}

const pool = new pg.Pool({ connectionString: readSettings().DATABASE_URL, max: 4 });
const execute = async <Row extends object>(name: string, text: string, value: unknown) =>
  (await pool.query<Row>({ name, text, values: [value] })).rows;

async function list(status: string): Promise<string> {
  const skills = await execute<{ id: string }>(
    "skills",
    `select * from skills where status = $1 and availability <> 'editors' order by name, sid`,
    status,
  );
  const ids = skills.map((skill) => skill.id);
  const files = await execute<OfSkill>(
    "files",
    "select * from skill_attachments where skill_id = any($1) order by position",
    ids,
  );
  const tools = await execute<OfSkill>(
    "tools",
    `select * from skill_tools l join tools t on t.id = l.tool_id join spaces p on p.id = t.space_id
      join users u on u.id = t.edited_by where l.skill_id = any($1) order by l.position`,
    ids,
  );
  const filesOf = Map.groupBy(files, (file) => file.skill_id);
  const toolsOf = Map.groupBy(tools, (tool) => tool.skill_id);
  return JSON.stringify({
    skills: skills.map((skill) => ({
      ...skill,
      fileAttachments: filesOf.get(skill.id) ?? [],
      tools: toolsOf.get(skill.id) ?? [],
    })),
  });
}

async function answer(status: string, response: ServerResponse): Promise<void> {
  const json = Buffer.from(await list(status));
  response.writeHead(200, { "content-length": json.length }).end(json);
}

const server = createServer((request, response) => {
  void answer(request.url?.slice(1) ?? "", response);
});
server.listen(Number(process.argv[2] ?? 8098), "127.0.0.1");
