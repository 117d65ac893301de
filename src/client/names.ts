/** The task queue that Reprise's workers poll, and on which runs are started, unless told otherwise. */
export const taskQueue = 'reprise';

/** The name of Reprise's deployment in Temporal's Worker Versioning (https://docs.temporal.io/worker-versioning). */
export const deploymentName = 'reprise';

/** Makes an id for a run that is readable, sortable and unique enough: `ask-20260118-170944-x3f9k2`. */
export function newRunId(kind: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${kind}-${time}-${Math.random().toString(36).slice(2, 8)}`;
}

/** The summary of a run in the list of Temporal's Web UI: the first line of its input, of at most 200 characters. */
export const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 200) ?? '';
