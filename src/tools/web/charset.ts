/** The bytes by which a text in Unicode may begin, each with its charset. */
const marks: Array<[charset: string, mark: number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** How many bytes are searched for a declaration, as browsers do (HTML Standard, "prescan a byte stream"). */
const searched = 1024;

/**
 * A text from its bytes: by its byte order mark, by the charset that its server states, by the one that it declares itself
 * (`<meta charset>` or the declaration of XML), as UTF-8 if it is that, and else as Windows-1252, which takes any bytes.
 */
export function textOf(bytes: Buffer, stated: string | undefined): string {
  const [marked] = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
  const declared = declaredIn(bytes.subarray(0, searched).toString('latin1'));
  for (const charset of [marked, stated, declared]) {
    const text = charset === undefined ? undefined : decoded(bytes, charset);
    if (text !== undefined) return text;
  }
  return decoded(bytes, 'utf-8', true) ?? decoded(bytes, 'windows-1252') ?? '';
}

function declaredIn(head: string): string | undefined {
  const [, xml] = /^\s*<\?xml[^>]*\sencoding=["']([\w-]+)/i.exec(head) ?? [];
  const [, html] = /<meta\s[^>]*charset\s*=\s*["']?\s*([\w-]+)/i.exec(head) ?? [];
  return xml ?? html;
}

/** @returns undefined if there is no such charset, or if the bytes are `fatal`ly wrong for it */
function decoded(bytes: Buffer, charset: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}
