/** Formats that are kept without being read, by how they begin, in hexadecimal digits. */
const formats: Array<[begins: RegExp, what: string, mediaType: string]> = [
  [/^7f454c46/, 'a program for Linux', 'application/x-executable'],
  [/^4d5a/, 'a program for Windows', 'application/vnd.microsoft.portable-executable'],
  [/^0061736d/, 'a WebAssembly module', 'application/wasm'],
  [/^377abcaf271c/, 'a 7-Zip archive', 'application/x-7z-compressed'],
  [/^526172211a07/, 'a RAR archive', 'application/vnd.rar'],
  [/^425a68/, 'bzip2 data', 'application/x-bzip2'],
  [/^fd377a585a00/, 'xz data', 'application/x-xz'],
  [/^28b52ffd/, 'Zstandard data', 'application/zstd'],
  [/^.{8}66747970/, 'a film', 'video/mp4'],
  [/^1a45dfa3/, 'a film', 'video/x-matroska'],
  [/^52494646.{8}41564920/, 'a film', 'video/x-msvideo'],
  [/^d0cf11e0/, 'a document of an old office (.doc, .ppt, .msg)', 'application/x-ole-storage'],
  [/^89484446/, 'HDF5 data', 'application/x-hdf5'],
  [/^934e554d5059/, 'a NumPy array', 'application/x-npy'],
  [/^4152524f5731/, 'Arrow data (Feather)', 'application/vnd.apache.arrow.file'],
  [/^.{16}4455434b/, 'a DuckDB database', 'application/vnd.duckdb'],
  [/^00010000(4a657420|5374616e64617264)/, 'a database of Access', 'application/vnd.ms-access'],
  [/^80(02|03|04|05)/, 'pickled Python data', 'application/x-pickle'],
];

const unknown = [
  '',
  'data of an unknown format, or a text in an unknown encoding',
  'application/octet-stream',
] as const;

/** What bytes are of which no text is read, as a kind of file with a note. */
export function unread(bytes: Buffer) {
  const head = bytes.toString('hex', 0, 16);
  const [, what, mediaType] = formats.find(([begins]) => begins.test(head)) ?? unknown;
  const note = `it is ${what} (${mediaType}), which is not read; tools and programs have its bytes`;
  return { kind: 'binary' as const, mediaType, note };
}
