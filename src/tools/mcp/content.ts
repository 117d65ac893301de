import type { BlobResourceContents, CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { TextResourceContents } from '@modelcontextprotocol/client';
import type { ShownByTool } from '../tool-images.ts';

/** What a server returned, with its pictures in base64, in the order in which the text names them. */
type ReadContent = ShownByTool & { images: Picture[] };

type Picture = { data: string };

/** Texts stay unchanged, those of resources under a line with their address. The rest is named in brackets. */
export function readContent({ content, structuredContent }: CallToolResult): ReadContent {
  if (content.length === 0 && structuredContent !== undefined) {
    return { text: JSON.stringify(structuredContent), images: [] };
  }
  const images: Picture[] = [];
  const text = content.map((block) => textOf(block, images)).join('\n');
  return { text, images };
}

export const shown = ({ images, text }: ReadContent): string | ShownByTool =>
  images.length === 0 ? text : { text, images };

export function readContents(contents: Array<TextResourceContents | BlobResourceContents>): ReadContent {
  const images: Picture[] = [];
  const [only, ...others] = contents;
  const isOneText = only !== undefined && others.length === 0 && 'text' in only;
  const text = isOneText ? only.text : contents.map((each) => resourceText(each, images)).join('\n');
  return { text, images };
}

function textOf(block: ContentBlock, images: Picture[]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return pictureText(block.mimeType, block.data, images);
    case 'audio':
      return `[audio: ${block.mimeType}, ${sizeOf(block.data)}]`;
    case 'resource':
      return resourceText(block.resource, images);
    case 'resource_link': {
      const { name, title = name, uri, description, mimeType } = block;
      const about = [description, mimeType].filter((part) => part !== undefined && part !== '').join('; ');
      return `[resource: ${title}, ${uri}${about === '' ? '' : ` (${about})`}]`;
    }
  }
}

function resourceText(resource: TextResourceContents | BlobResourceContents, images: Picture[]): string {
  const { uri, mimeType } = resource;
  if ('text' in resource) return `[resource: ${uri}]\n${resource.text}`;
  if (mimeType?.startsWith('image/')) {
    return `[resource: ${uri}] ${pictureText(mimeType, resource.blob, images)}`;
  }
  return `[resource: ${uri}, ${mimeType ?? 'of an unknown type'}, ${sizeOf(resource.blob)}]`;
}

function pictureText(mimeType: string, data: string, images: Picture[]): string {
  images.push({ data });
  return `[image ${images.length}: ${mimeType}, ${sizeOf(data)}]`;
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} KB`;
}
