import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { taskQueue } from '../../src/client/names.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { diceOf } from '../../test/support/courses/course.ts';
import { endIfAny, isBeginning, silence, type Pace } from '../../test/support/courses/looks.ts';
import { killedAtOnce, killedRun, killedScript, swapped } from './killed-runs.ts';
import { MortalMachine } from './mortal-machine.ts';
import type { Place } from './place.ts';

const pace: Pace = { pollIntervalMs: 200, queries: 1, messageAfterMs: [40, 350] };

/**
 * Kills Temporal's server and the worker in the middle of twelve runs, again and again, and tells how many of them end as if
 * nothing had happened. @returns whether all do
 */
export async function killedRuns(place: Place, seed: number, times: number): Promise<boolean> {
  let good = 0;
  const kinds = new Map<Problem['kind'], number>();
  for (let time = 1; time <= times; time++) {
    const problems = await killedOnce(place, seed + time - 1);
    good += killedAtOnce - problems.size;
    for (const { kind } of problems.values()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const [number, { kind, why }] of problems)
      console.log(`--part killed --times 1 --seed ${seed + time - 1}, run ${number}: ${kind}: ${why}`);
    console.error(`killed ${time} of ${times} times: ${good} of ${time * killedAtOnce} runs are as they should be`);
  }
  const all = times * killedAtOnce;
  console.log(`${good} of ${all} end, with the events they had, each answer its own agent's`);
  if (kinds.size > 0) console.log(`the others: ${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
  return good === all;
}

/** @returns what is wrong with which runs */
async function killedOnce(place: Place, seed: number): Promise<Map<number, Problem>> {
  const dice = diceOf(seed, 0);
  const writing = new Set<number>();
  const wanted = dice.whole(1, killedAtOnce);
  const due = Promise.withResolvers<void>();
  const script = killedScript(seed, (number) => {
    writing.add(number);
    if (writing.size >= wanted) due.resolve();
  });
  await using machine = await MortalMachine.open(place, script);
  const { client } = machine;
  const handles = await Promise.all(
    Array.from({ length: killedAtOnce }, (_, number) => {
      const { input, type } = killedRun(number);
      return client.workflow.start(type, { taskQueue, workflowId: `run-${number}`, args: [input] });
    }),
  );
  const before: string[][][] = handles.map(() => []);
  const over = new AbortController();
  const looking = handles.map((handle, number) =>
    silence(client, handle, handle, before[number] ?? [], pace, over.signal).catch(() => {}),
  );
  // Where a run cannot even come so far, the others are killed all the same.
  await Promise.race([due.promise, pause(30_000)]);
  await pause(dice.whole(0, 1500));
  over.abort();
  await Promise.all(looking);
  await machine.kill();
  await machine.start();
  const found = await Promise.all(handles.map((_, number) => becomes(client, number, before[number] ?? [])));
  return new Map(found.flatMap((problem, number) => (problem === undefined ? [] : [[number, problem] as const])));
}

/** Waits until a run ends, or never will. @param before what it has shown before it was killed */
async function becomes(client: Client, number: number, before: string[][]): Promise<Problem | undefined> {
  const handle = client.workflow.getHandle(`run-${number}`);
  const after: string[][] = [];
  const { end } = await endIfAny(client, handle, handle, after, pace);
  if (end === undefined) return { kind: 'never ended', why: `after ${after.at(-1)?.at(-1) ?? 'nothing'}` };
  return problemOf(number, before, after.at(-1) ?? [], end);
}

interface Problem {
  kind: 'never ended' | 'failed' | 'other events' | 'an answer of another agent';
  why: string;
}

function problemOf(number: number, before: string[][], events: string[], end: string): Problem | undefined {
  if (end.startsWith('failed')) return { kind: 'failed', why: end };
  const wrong = swapped(
    number,
    events.map((text) => JSON.parse(text) as RunEvent),
    end,
  );
  if (wrong.length > 0) return { kind: 'an answer of another agent', why: wrong.join('; ') };
  if (before.length === 0) return { kind: 'other events', why: 'was never asked before it was killed' };
  const other = before.find((look) => !isBeginning(look, events));
  if (other === undefined) return undefined;
  const place = other.findIndex((text, index) => text !== events[index]);
  return { kind: 'other events', why: `event ${place + 1} was ${other[place]} and is ${events[place] ?? 'missing'}` };
}
