import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { eventsQuery } from '../../../src/protocol/definitions.ts';
import { irreplayable, recordedOf, type Recorded } from '../replaying.ts';
import { isBeginning } from './looks.ts';
import type { Ride } from './ride.ts';
import type { Mode, Track } from './track.ts';

/** What is wrong with a course that was run. */
export interface Finding {
  mode: Mode;
  seed: number;
  number: number;
  /** `hung`: it never ended. `irreplayable`: its history leads to other commands. `other events`: it tells another story. */
  kind: 'hung' | 'irreplayable' | 'other events';
  why: string;
  /** The file with the run's history and what it has said, for whoever looks into it. */
  kept: string;
}

/** How many runs a fresh worker is asked at a time. */
const askedAtOnce = 2;

/** How long it may take to replay a run and answer: one whose task fails at the replay never answers. */
const answerMs = 20_000;

/** Replays all runs of a track on a worker that has never seen them, and compares with what they have told before. */
export async function findingsOf(track: Track, rides: Ride[]): Promise<Finding[]> {
  return track.withFreshWorker(async (options) => {
    const findings: Finding[] = [];
    const recorded = await recordedOf(track.client, rides);
    const find = (ride: Ride, kind: Finding['kind'], why: string): void => {
      const { seed, number } = ride.course;
      findings.push({ mode: track.mode, seed, number, kind, why, kept: keep(track.mode, ride, recorded) });
    };
    for (const each of rides)
      if (each.end === undefined) find(each, 'hung', `after ${each.looks.at(-1)?.at(-1) ?? 'nothing'}`);
    const bad = await irreplayable(options, recorded);
    const reasons = new Map(bad.map(({ why, workflowId }) => [workflowId, why]));
    const left = [...rides];
    const askNext = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const why = reasons.get(next.workflowId);
        if (why !== undefined) find(next, 'irreplayable', why);
        // What cannot be replayed answers no query, or by chance, and so does what has never come to its first event.
        else if (next.looks.length > 0) {
          const other = await differenceOf(track, next);
          if (other !== undefined) find(next, 'other events', other);
        }
      }
    };
    await Promise.all(Array.from({ length: askedAtOnce }, askNext));
    return findings.toSorted((one, other) => one.number - other.number);
  });
}

/** Writes down what there is of a run. @returns the file */
function keep(mode: Mode, { course, end, looks, workflowId }: Ride, recorded: Recorded[]): string {
  const file = join(tmpdir(), `reprise-deviates-${mode}-${course.seed}-${course.number}.json`);
  const histories = recorded.filter((each) => each.workflowId === workflowId);
  const written = histories.map(({ history }): unknown => JSON.parse(historyToJSON(history)));
  writeFileSync(file, JSON.stringify({ course, end, looks, histories: written }));
  return file;
}

/** Where a run tells another story than it told while it ran; undefined for the same one. */
async function differenceOf(
  { client }: Track,
  { isTold, looks, runId, workflowId }: Ride,
): Promise<string | undefined> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const ask = () => client.withDeadline(Date.now() + answerMs, () => handle.query(eventsQuery));
  // What can be replayed and does not answer in time is on a worker that has too much to do.
  const told = await ask().catch(ask).catch(ask).catch(String);
  if (typeof told === 'string') return `no answer: ${told}`;
  const events = told.map((event) => JSON.stringify(event));
  const other = looks.find((look) => !isBeginning(look, events));
  if (other !== undefined) {
    const place = other.findIndex((text, index) => text !== events[index]);
    return `event ${place + 1} was ${other[place]} and is ${events[place] ?? 'missing'}`;
  }
  const last = looks.at(-1)?.length ?? 0;
  return !isTold || last === events.length ? undefined : `${last} events are ${events.length}`;
}
