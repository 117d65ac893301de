import { ride, type Ride } from './ride.ts';
import type { Track } from './track.ts';
import { findingsOf, type Finding } from './verdict.ts';

export interface Race {
  seed: number;
  /** The numbers of the courses. */
  numbers: number[];
  /** How many of them run at a time. */
  atOnce: number;
  onEnd?: (ride: Ride) => void;
}

/** Has courses run on a track, many at a time, and then replays all of them. */
export async function race(
  track: Track,
  { atOnce, numbers, onEnd, seed }: Race,
): Promise<{ rides: Ride[]; findings: Finding[] }> {
  const rides: Ride[] = [];
  const left = numbers.toReversed();
  const runNext = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const ended = await ride(track, seed, next);
      rides.push(ended);
      onEnd?.(ended);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return { rides, findings: await findingsOf(track, rides) };
}
