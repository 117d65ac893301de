const images: Array<[mediaType: string, begins: RegExp]> = [
  ['image/png', /^[^]PNG\r\n[^]\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** How many bytes are looked at; a head has fewer. */
const headBytes = 16;

/** The media type of an image that models can be shown, told by how it begins; undefined if it is none. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  return images.find(([, begins]) => begins.test(head))?.[0];
}
