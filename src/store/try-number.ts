/** In how many seconds the numbers of tries begin again, so that they fit into the 31 bits of a column. */
const numbering = 2_000_000;

/**
 * The number by which a try is recorded. Temporal counts the attempts of an activity, which begin again where a run makes a
 * call once more under its id, when it has waited for a key or for another worker: then it was scheduled at another time.
 */
export const tryNumber = (info: { attempt: number; scheduledTimestampMs: number }): number =>
  (Math.floor(info.scheduledTimestampMs / 1000) % numbering) * 1000 + info.attempt;

/** Whether a record is of a summary that was made for the call. */
export const isSummary = ({ attempt }: { attempt: number }): boolean => attempt < 0;

/** The number of the next summary of a call that has these records: a call that is refused as too long may need several. */
export const summaryNumber = (tries: Array<{ attempt: number }>): number => -1 - tries.filter(isSummary).length;
