import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { Text, TextRef } from '../../protocol/message.ts';

const { storeBlobs } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** Below this many characters a text is shorter than what names it and what fetches it. */
const worthNaming = 400;

/** Puts the long ones of these texts into the store, so that no later input repeats them. */
export async function storeTexts(texts: string[]): Promise<Text[]> {
  const long = texts.filter((text) => text.length >= worthNaming);
  const ids = long.length === 0 ? [] : await storeBlobs(long);
  return texts.map((text) => {
    const id = ids[long.indexOf(text)];
    return id === undefined ? text : { blob: id };
  });
}

/** Stores tool sets, and texts that every prompt repeats; returns their ids in order. */
export async function storeToolSets(sets: unknown[], texts: string[]): Promise<string[]> {
  return storeBlobs([...sets.map((set) => JSON.stringify(set)), ...texts]);
}

/** Names a text that stands in a reply already, where that is shorter than saying it again. */
export function textRef(text: string, place: TextRef): Text {
  return text.length < worthNaming ? text : place;
}
