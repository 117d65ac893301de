/** Formats that are kept without being read, by how they begin. The first that fits counts. */
const formats: Array<[begins: RegExp, what: string, mediaType: string]> = [
  [/^\x7FELF/, 'a program for Linux', 'application/x-executable'],
  [/^MZ/, 'a program for Windows', 'application/vnd.microsoft.portable-executable'],
  [/^(\xCF\xFA\xED\xFE|\xCA\xFE\xBA\xBE)/, 'a program for macOS or Java', 'application/octet-stream'],
  [/^\0asm/, 'a WebAssembly module', 'application/wasm'],
  [/^7z\xBC\xAF\x27\x1C/, 'a 7-Zip archive', 'application/x-7z-compressed'],
  [/^Rar!\x1A\x07/, 'a RAR archive', 'application/vnd.rar'],
  [/^BZh[1-9]/, 'bzip2 data', 'application/x-bzip2'],
  [/^\xFD7zXZ\0/, 'xz data', 'application/x-xz'],
  [/^\x28\xB5\x2F\xFD/, 'Zstandard data', 'application/zstd'],
  [/^[^]{4}ftypqt/, 'a QuickTime film', 'video/quicktime'],
  [/^[^]{4}ftyp/, 'an MP4 film', 'video/mp4'],
  [/^\x1A\x45\xDF\xA3/, 'a Matroska or WebM film', 'video/x-matroska'],
  [/^RIFF[^]{4}AVI /, 'an AVI film', 'video/x-msvideo'],
  [/^\xD0\xCF\x11\xE0/, 'a document of an old office (.doc, .ppt, .msg)', 'application/x-ole-storage'],
  [/^8BPS/, 'a Photoshop picture', 'image/vnd.adobe.photoshop'],
  [/^(%!PS|\xC5\xD0\xD3\xC6)/, 'PostScript', 'application/postscript'],
  [/^(wOFF|wOF2|OTTO|\0\x01\0\0)/, 'a font', 'font/sfnt'],
  [/^\x89HDF/, 'HDF5 data', 'application/x-hdf5'],
  [/^\x93NUMPY/, 'a NumPy array', 'application/x-npy'],
  [/^\x80[\x02-\x05]/, 'pickled Python data', 'application/x-pickle'],
  [/^(ARROW1|FEA1)/, 'Arrow data', 'application/vnd.apache.arrow.file'],
  [/^PGDMP/, 'a dump of PostgreSQL', 'application/octet-stream'],
];

/** How many bytes are looked at; the beginnings have fewer. */
const headBytes = 16;

/** What bytes are that no text is read of, in words and as a media type. */
export function binaryFormat(bytes: Buffer): { what: string; mediaType: string } {
  const head = bytes.toString('latin1', 0, headBytes);
  const [, what, mediaType] = formats.find(([begins]) => begins.test(head)) ?? [];
  return {
    what: what ?? 'data of an unknown format, or a text in an unknown encoding',
    mediaType: mediaType ?? 'application/octet-stream',
  };
}
