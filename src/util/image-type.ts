/** Those that models can be shown. */
const images: Array<[mediaType: string, begins: RegExp]> = [
  ['image/png', /^[^]PNG\r\n[^]\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** Those that can be made into such. What begins like a bitmap may be a text, but for the zeros that are reserved in it. */
const convertible: typeof images = [
  ['image/tiff', /^(II\*\0|MM\0\*)/],
  ['image/bmp', /^BM[^]{4}\0\0\0\0/],
  ['image/heic', /^[^]{4}ftyp(heic|heix|mif1|msf1)/],
  ['image/avif', /^[^]{4}ftypavi[fs]/],
];

/** The media type of an image that models can be shown, told by how it begins; undefined if it is none. */
export const imageTypeOf = (bytes: Uint8Array): string | undefined => typeIn(images, bytes);

/** The media type of any picture that is read; undefined if it is none. */
export const pictureTypeOf = (bytes: Uint8Array): string | undefined => typeIn([...images, ...convertible], bytes);

function typeIn(types: typeof images, bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return types.find(([, begins]) => begins.test(head))?.[0];
}
