import type { ResearchResult, Run, SolveResult } from '../client.ts';
import { markdownOf } from '../workflows/research/rules/markdown.ts';
import type { Usage } from '../protocol/usage.ts';
import { exitStatus, print, say } from './exit.ts';
import { Following } from './following.ts';
import { countText, durationText, spentText } from './live/spent.ts';
import type { FollowOptions } from './options.ts';
import { shellWord, temporalOption } from './questions/box.ts';

/** What results of orchestrations and sessions have in common. */
interface Answered {
  answer: string;
  usage: Usage;
  attempts?: number;
  turns?: number;
}

type Result = Answered | ResearchResult | SolveResult;

/**
 * Shows a run until its end, puts its questions to the person, and prints its answer, its report or its
 * result. Ctrl-C leaves; the run goes on.
 *
 * @param revive starts what a run at a local address needs, if it died
 * @throws where the run failed
 */
export async function follow(run: Run, options: FollowOptions, revive: () => Promise<void>): Promise<void> {
  const following = new Following(run, options, revive, () => {
    say(`The run goes on. Come back to it with: ${watchCommand(run.id, options)}`);
    process.exit(exitStatus.interrupted);
  });
  try {
    const elapsed = await following.show({});
    const result = (await run.result()) as Result;
    say(summaryOf(result, elapsed));
    await print(options.json ? JSON.stringify(result) : textOf(result));
  } finally {
    following.close();
  }
}

/** The line to type that shows a run. */
export const watchCommand = (id: string, { temporal }: FollowOptions): string =>
  `reprise watch ${shellWord(id)}${temporalOption(temporal)}`;

const textOf = (result: Result): string => ('report' in result ? markdownOf(result.report) : result.answer);

const summaryOf = (result: Result, elapsed: number): string =>
  [...countedIn(result), durationText(elapsed), spentText(result.usage)].join(', ');

function countedIn(result: Result): string[] {
  if ('report' in result) return [countText(result.iterations.length, 'iteration'), result.outcome];
  if ('subtasks' in result) return [...countedInSolve(result), result.outcome];
  const { attempts, turns } = result;
  return [
    ...(attempts === undefined ? [] : [countText(attempts, 'attempt')]),
    ...(turns === undefined ? [] : [countText(turns, 'turn')]),
  ];
}

function countedInSolve({ executions, retries, subtasks }: SolveResult): string[] {
  const completed = subtasks.filter(({ status }) => status === 'completed').length;
  return [
    `${completed} of ${countText(subtasks.length, 'subtask')} completed`,
    countText(executions, 'execution'),
    ...(retries === 0 ? [] : [countText(retries, 'retry', 'retries')]),
  ];
}
