import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { BlobRef, Text, TextRef, ToolSpec } from '../../protocol/message.ts';
import { blobRef, namesIn, previewOf } from './previews.ts';

const { storeBlobs } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** From this many characters on, a reference is cheaper than the text. */
const worthNaming = 400;

/** Stores the long texts among these, and returns all in order, the long ones by reference. */
export async function storeTexts(texts: string[]): Promise<Text[]> {
  const long = texts.filter((text) => text.length >= worthNaming);
  const ids = long.length === 0 ? [] : await storeBlobs(long);
  return texts.map((text) => {
    const id = ids[long.indexOf(text)];
    return id === undefined ? text : blobRef(id, text);
  });
}

/** Stores tool sets and texts that every prompt repeats. @returns references to them, in order */
export async function storeRepeated(contents: Array<ToolSpec[] | string>): Promise<BlobRef[]> {
  const ids = await storeBlobs(contents.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))));
  return contents.flatMap((each, index) => {
    const id = ids[index];
    // The worker of an earlier version has stored fewer.
    return id === undefined ? [] : [blobRef(id, typeof each === 'string' ? each : namesIn(each))];
  });
}

/** A text that is in a reply already, by reference if it is long. */
export function textRef(text: string, place: TextRef): Text {
  return text.length < worthNaming ? text : { ...place, preview: previewOf(text) };
}
