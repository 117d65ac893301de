import * as xlsx from '@e965/xlsx';

/** What the library for workbooks has for containers, which its types do not tell. */
export const container = xlsx.CFB as {
  read: (
    bytes: Buffer,
    how: { type: 'buffer' },
  ) => { FileIndex: Array<{ type: number; content?: Uint8Array }>; FullPaths: string[] };
  utils: {
    cfb_new: () => object;
    cfb_add: (container: object, name: string, content: Buffer, how: { unsafe: true }) => void;
  };
};

/** The streams of a document of an old office or of a message of Outlook, by their paths ([MS-CFB]). @throws `Error` if it is damaged */
export function streamsIn(bytes: Buffer): Map<string, Buffer> {
  const { FileIndex: entries, FullPaths: paths } = container.read(bytes, { type: 'buffer' });
  return new Map(
    entries.flatMap(({ content, type }, index) =>
      type === 2 ? [[paths[index]?.replace(/^[^/]*\//, '') ?? '', Buffer.from(content ?? [])] as const] : [],
    ),
  );
}
