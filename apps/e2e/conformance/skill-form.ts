/** The form of an import of the skill `greeting` with these fields. */
export function skillForm(fields: Readonly<Record<string, string>>) {
  const skill = "---\nname: greeting\ndescription: Greets.\n---\nSay hello.";
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [`name="${name}"`, value] as const),
    ['name="files"; filename="greeting/SKILL.md"', skill] as const,
  ];
  const body = parts
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`)
    .join("");
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  return { body: `${body}--b--\r\n`, headers };
}
