import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { Text, TextRef } from '../../protocol/message.ts';

const { storeBlobs } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** From this many characters on, a reference is cheaper than the text. */
const worthNaming = 400;

/** Stores the long texts among these, and returns all in order, the long ones by reference. */
export async function storeTexts(texts: string[]): Promise<Text[]> {
  const long = texts.filter((text) => text.length >= worthNaming);
  const ids = long.length === 0 ? [] : await storeBlobs(long);
  return texts.map((text) => {
    const id = ids[long.indexOf(text)];
    return id === undefined ? text : { blob: id };
  });
}

/** Stores tool sets and texts that every prompt repeats. @returns the blob ids of the sets, then of the texts */
export async function storeToolSets(sets: unknown[], texts: string[]): Promise<string[]> {
  return storeBlobs([...sets.map((set) => JSON.stringify(set)), ...texts]);
}

/** A text that is in a reply already, by reference if it is long. */
export function textRef(text: string, place: TextRef): Text {
  return text.length < worthNaming ? text : place;
}
