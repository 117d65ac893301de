import { holds } from './packages.ts';

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
  [/^789f3e22/, 'an attachment as Outlook packs it (winmail.dat)', 'application/vnd.ms-tnef'],
  [/^2142444e/, 'a mailbox of Outlook (.pst)', 'application/vnd.ms-outlook-pst'],
  [/^e4525c7b8cd8a74d/, 'a section of OneNote', 'application/onenote'],
  [/^ff575043/, 'a document of WordPerfect', 'application/vnd.wordperfect'],
  [/^38425053/, 'a picture of Photoshop', 'image/vnd.adobe.photoshop'],
  [/^(0000000c6a502020|ff4fff51)/, 'a picture in JPEG 2000', 'image/jp2'],
  [/^41433130/, 'a drawing of AutoCAD', 'image/vnd.dwg'],
  [/^(00010000000|4f54544f|774f46(46|32)|74746366)/, 'a font', 'font/sfnt'],
  [/^(cffaedfe|cefaedfe)/, 'a program for macOS', 'application/x-mach-binary'],
  [/^cafebabe0000/, 'a compiled class of Java, or a program for macOS', 'application/java-vm'],
  [/^(3026b2758e66cf11|464c5601|000001b[3a])/, 'a film or a recording', 'video/x-ms-asf'],
  [/^4d546864/, 'music in MIDI', 'audio/midi'],
  [/^62706c697374/, 'a property list of Apple', 'application/x-bplist'],
  [/^89484446/, 'HDF5 data', 'application/x-hdf5'],
  [/^934e554d5059/, 'a NumPy array', 'application/x-npy'],
  [/^4152524f5731/, 'Arrow data (Feather)', 'application/vnd.apache.arrow.file'],
  [/^.{16}4455434b/, 'a DuckDB database', 'application/vnd.duckdb'],
  [/^00010000(4a657420|5374616e64617264)/, 'a database of Access', 'application/vnd.ms-access'],
  [/^80(02|03|04|05)/, 'pickled Python data', 'application/x-pickle'],
];

/** Documents of offices before 2007, by a stream in them. */
const old: Array<[stream: string, what: string, mediaType: string]> = [
  [
    'PowerPoint Document',
    'a presentation of PowerPoint before 2007 (.ppt; as .pptx it would be read)',
    'application/vnd.ms-powerpoint',
  ],
  ['VisioDocument', 'a drawing of Visio before 2013 (.vsd)', 'application/vnd.visio'],
  ['', 'a document of an old office', 'application/x-ole-storage'],
];

/** What bytes are of which no text is read, as a kind of file with a note. */
export function unread(bytes: Buffer) {
  const head = bytes.toString('hex', 0, 16);
  const isOld = head.startsWith('d0cf11e0');
  const known = isOld
    ? old.find(([stream]) => stream === '' || holds(bytes, stream))
    : formats.find(([begins]) => begins.test(head));
  const what = known?.[1] ?? 'data of an unknown format, or a text in an unknown encoding';
  const mediaType = known?.[2] ?? 'application/octet-stream';
  const note = `it is ${what} (${mediaType}), which is not read; tools and programs have its bytes`;
  return { kind: 'binary' as const, mediaType, note };
}
