import type { RunEvent } from '../protocol/events.ts';
import { entriesOf, withoutEmoji } from '../workflows/log-lines.ts';

/** What the log of a run says of an event, without its signs; nothing for what it leaves out. */
export const linesOf = (event: RunEvent): string[] =>
  entriesOf(event).flatMap(({ text }) => (text.trim() === '' ? [] : [withoutEmoji(text.trim()).trim()]));
