import { randomInt } from 'node:crypto';

/** The task queue that Reprise's workers poll, and on which runs are started, unless told otherwise. */
export const taskQueue = 'reprise';

/** The name of Reprise's deployment in Temporal's Worker Versioning (https://docs.temporal.io/worker-versioning). */
export const deploymentName = 'reprise';

/** Small letters and digits that nobody takes for one another. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes an id for a run that is short enough to be typed, and has no equal: `ask-x3f9k2m7`. */
export const newRunId = (kind: string): string =>
  `${kind}-${Array.from({ length: 8 }, () => characters[randomInt(characters.length)]).join('')}`;

/** The summary of a run in the list of Temporal's Web UI: the first line of its input, of at most 200 characters. */
export const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 200) ?? '';

/** The beginning of such a line, up to the end of a word. */
export const fewWords = (line: string): string =>
  line.length <= 60 ? line : `${line.slice(0, 60).replace(/\s+\S*$/, '')}…`;
