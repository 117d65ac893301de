import type { ImageRef } from '../protocol/attachment.ts';

/** Images that were loaded for a request: base64 by the id of their blob. */
export type LoadedImages = ReadonlyMap<string, string>;

/** The content of an image in base64. @throws where the request came without it */
export function imageData(images: LoadedImages, { blob }: ImageRef): string {
  const data = images.get(blob);
  if (data === undefined) throw new Error(`The image ${blob} was not loaded`);
  return data;
}
