import type { GivenImage, ShownByTool } from '../tool-images.ts';

/** One part of what a tool of an MCP server returns. Servers send any, so nothing in it can be relied upon. */
export interface ContentPart {
  type: string;
  text?: unknown;
  data?: unknown;
  mimeType?: unknown;
  resource?: unknown;
  [other: string]: unknown;
}

/**
 * What a tool of an MCP server returned (https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result):
 * texts unchanged, images to be shown, of audio and other bytes what they are, anything else as JSON, all in their order.
 */
export function resultOfContent(content: readonly ContentPart[], structuredContent?: unknown): string | ShownByTool {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  const images: GivenImage[] = [];
  const texts = content.map((part) => {
    const { text, image } = readPart(part, images.length + 1);
    if (image !== undefined) images.push(image);
    return text;
  });
  const text = texts.join('\n');
  return images.length === 0 ? text : { text, images };
}

/** @param number that of the image that the part is, if it is one */
function readPart(part: ContentPart, number: number): { text: string; image?: GivenImage } {
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return { text };
  if (type === 'resource' && typeof resource === 'object' && resource !== null) {
    const { blob, uri, ...held } = resource as Record<string, unknown>;
    const name = typeof uri === 'string' ? uri : 'a resource';
    if (typeof held['text'] === 'string') return { text: `[${name}]\n${held['text']}` };
    if (typeof blob === 'string') return ofBytes(blob, held['mimeType'], name, number);
  }
  if (typeof data === 'string') return ofBytes(data, mimeType, type, number);
  return { text: JSON.stringify(part) };
}

function ofBytes(data: string, mimeType: unknown, name: string, number: number): { text: string; image?: GivenImage } {
  const kind = typeof mimeType === 'string' ? mimeType : 'of an unknown type';
  if (kind.startsWith('image/')) {
    return { text: `[image ${number}: ${kind}${name === 'image' ? '' : `, ${name}`}]`, image: { data } };
  }
  const bytes = Math.floor((data.length * 3) / 4);
  return { text: `[${name}: ${kind}, about ${bytes} bytes, which are not shown]` };
}
