import type { BlobRef, Content, Text, TextRef, ToolSpec } from '../../protocol/message.ts';
import { jsonBytes, payloadBytes } from '../runtime/size.ts';
import { inStore } from '../runtime/own-store.ts';
import { blobRef, namesIn, previewOf, worthNaming } from './previews.ts';

/** From this many characters on, it is worth an activity to have a text in the store, so that inputs need not repeat it. */
const worthStoring = 8000;

/** Stores the very long texts among these, and returns all in order, those by reference. */
export async function storeTexts(texts: string[]): Promise<Text[]> {
  const long = [...new Set(texts.filter((text) => text.length >= worthStoring))];
  const ids = (await Promise.all(portionsOf(long).map((portion) => inStore.storeBlobs(portion)))).flat();
  const refs = new Map(long.map((text, index) => [text, blobRef(ids[index] ?? '', text)]));
  return texts.map((text) => refs.get(text) ?? text);
}

function portionsOf(texts: string[]): string[][] {
  const portions: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    const size = jsonBytes(text);
    bytes += size;
    if (bytes <= payloadBytes) portions.at(-1)?.push(text);
    else {
      portions.push([text]);
      bytes = size;
    }
  }
  return portions;
}

/** Stores a content as one text, if it is long. @param text what it says, for its length and its preview */
export async function storeContent(content: Content, text: string): Promise<Content> {
  if (text.length < worthStoring) return content;
  const [id = ''] = await inStore.storeBlobs([content]);
  return blobRef(id, text);
}

/** Stores tool sets and texts that every prompt repeats. @returns references to them, in order */
export async function storeRepeated(contents: Array<ToolSpec[] | string>): Promise<BlobRef[]> {
  const ids = await inStore.storeBlobs(
    contents.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
  );
  return ids.map((id, index) => {
    const each = contents[index] ?? '';
    return blobRef(id, typeof each === 'string' ? each : namesIn(each));
  });
}

/** A text that is in a reply already, by reference if it is long. */
export function textRef(text: string, place: TextRef): Text {
  return text.length < worthNaming ? text : { ...place, preview: previewOf(text) };
}
