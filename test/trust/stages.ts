import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createPreparations } from '../../src/activities/prepare.ts';
import type { Environment } from '../../src/util/environment.ts';
import { Guard } from '../../src/trust/guard.ts';

/** The machine of a worker: its home, its folder of configurations, a folder for everybody, and the user's other files. */
export interface Machine {
  root: string;
  home: string;
  configFolder: string;
  /** Files that inputs may name where the worker allows it. */
  shared: string;
  /** A file of the user's that is nobody's business. */
  secretFile: string;
  [Symbol.dispose](): void;
}

export function machine(): Machine {
  const root = mkdtempSync(join(tmpdir(), 'reprise-trust-'));
  const [home, configFolder, shared] = [join(root, 'home'), join(root, 'own'), join(root, 'shared')];
  for (const folder of [home, configFolder, shared, join(configFolder, 'files')]) mkdirSync(folder);
  const secretFile = join(root, 'diary.txt');
  writeFileSync(secretFile, 'Dear diary');
  writeFileSync(join(shared, 'paper.txt'), 'A paper');
  return {
    root,
    home,
    configFolder,
    shared,
    secretFile,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Variables of a worker, some of which are nobody's business. */
export const variables: Environment = {
  OPENAI_API_KEY: 'key of openai',
  ANTHROPIC_API_KEY: 'key of anthropic',
  GEMINI_API_KEY: 'key of gemini',
  GITHUB_TOKEN: 'token of github',
  AWS_SECRET_ACCESS_KEY: 'the secret',
};

/** A run as activities see it. */
export interface RunOf {
  workflowType?: string;
  workflowId?: string;
  namespace?: string;
}

/** A worker's guard and the activities by which runs begin, called as a run would call them. */
export function worker(at: Machine, allow: string[] = [], environment: Environment = variables) {
  const guard = new Guard({
    allow,
    configFolder: at.configFolder,
    environment,
    home: at.home,
    secret: (name) => Promise.resolve(`the secret ${name} of a store`),
  });
  const preparations = createPreparations({
    configFolder: at.configFolder,
    environment,
    guard,
    namespace: { hasQuestion: false },
    prices: {},
  });
  const prepare = {
    orchestration: (input: unknown) => preparations.prepareOrchestration(input),
    session: (input: unknown) => preparations.prepareSession(input),
    research: (input: unknown) => preparations.prepareResearch(input),
    planAndExecute: (input: unknown) => preparations.prepareSolve(input),
  };
  return {
    guard,
    /** Prepares an input as it comes over the wire. */
    prepare: (type: keyof typeof prepare, input: unknown, run: RunOf = {}): Promise<object> =>
      inRun<object>(run, type, () => prepare[type](JSON.parse(JSON.stringify(input)))),
  };
}

const logger = new DefaultLogger('ERROR');

/** Does something as an activity of a run. */
export function inRun<T>(run: RunOf, type: string, work: () => Promise<T>): Promise<T> {
  const { namespace = 'default', workflowId = 'q1', workflowType = type } = run;
  const workflowExecution = { workflowId, runId: 'r1' };
  return new MockActivityEnvironment({ namespace, workflowExecution, workflowType }, { logger }).run(work);
}

/** Whatever is thrown, as text. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
