/** Misuses of the globals that the prelude defines, and how each ends: with a code, or the JSON of its result. */
export const globalTricks: readonly (readonly [
  name: string,
  code: string,
  ends: string | RegExp,
])[] = [
  [
    "Function of a URL",
    "return new URL('a:b').constructor.constructor('return typeof process')();",
    '"undefined"',
  ],
  [
    "Function of random numbers",
    "return crypto.randomUUID.constructor('return typeof process')();",
    '"undefined"',
  ],
  [
    "Function of an error of a decoder",
    "try { new TextDecoder('latin1'); } catch (e) { return e.constructor.constructor('return typeof require')(); }",
    '"undefined"',
  ],
  ["a changed prototype of URL", "URL.prototype.toString = () => 'forged';", "threw"],
  ["a changed TextEncoder", "TextEncoder.prototype.encode = () => 1;", "threw"],
  ["a changed crypto", "crypto.randomUUID = () => 'forged';", "threw"],
  [
    "links of the URL to its parameters",
    "return [URL.part, URL.change, URLSearchParams.linked];",
    "[null,null,null]",
  ],
  ["a URL of no URL", "return URL.prototype.href;", "threw"],
  [
    "a getter of URL on another object",
    "return Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({ href: 1 });",
    "threw",
  ],
  ["a huge URL", "return URL.canParse('http://a/' + 'x'.repeat(1e6));", "false"],
  ["a URL with a NUL", "return new URL('http://a/\\u0000b').href;", '"http://a/%00b"'],
  ["a URL of a file", "return new URL('file:///etc/passwd').protocol;", '"file:"'],
  [
    "a URL with a changed JSON",
    "JSON.stringify = () => '[]'; return new URL('http://a/b').pathname;",
    '"/b"',
  ],
  [
    "a URL whose text throws",
    "return new URL({ toString() { throw new Error('no'); } });",
    "threw",
  ],
  ["too many random bytes", "crypto.getRandomValues(new Uint8Array(65537));", "threw"],
  [
    "random bytes of another kind",
    "crypto.getRandomValues({ byteLength: 8, buffer: 1 });",
    "threw",
  ],
  [
    "random bytes of a forged length",
    "const a = new Uint8Array(4); Object.defineProperty(a, 'byteLength', { value: 1e9 }); crypto.getRandomValues(a);",
    "threw",
  ],
  [
    "bytes of a forged view",
    "const a = new Uint8Array(4); Object.defineProperty(a, 'buffer', { value: new ArrayBuffer(1) }); return new TextDecoder().decode(a);",
    /threw|"/,
  ],
  [
    "a clone with __proto__",
    'const c = structuredClone(JSON.parse(\'{"__proto__":{"a":1}}\')); return [c.a, ({}).a, Object.keys(c)];',
    '[null,null,["__proto__"]]',
  ],
  [
    "a clone of a deep value",
    "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; structuredClone(a);",
    /threw|cpu_exceeded/,
  ],
  [
    "a clone of a proxy that never ends",
    "structuredClone(new Proxy({}, { ownKeys() { for (;;); } }));",
    "cpu_exceeded",
  ],
  [
    "the encoding of a huge text",
    "return new TextEncoder().encode('€'.repeat(2 ** 27)).length;",
    /out_of_memory|threw|cpu_exceeded/,
  ],
  ["URLs without end", "for (;;) new URL('http://a/b');", "cpu_exceeded"],
  ["random numbers without end", "for (;;) crypto.randomUUID();", "cpu_exceeded"],
  [
    "an endless iterable of parameters",
    "new URLSearchParams((function* () { for (;;) yield ['a', 'b']; })());",
    /cpu_exceeded|out_of_memory/,
  ],
];
