import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { sdkPackage, sdkVersion } from '../../src/models/claude-code/sdk.ts';
import { cacheFolder } from '../../src/util/folders.ts';
import type { CallModelResult } from '../../src/protocol/model-call.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { presentPrompt } from '../../src/workflows/orchestration/prompts.ts';
import type { Script, Scripted, Seen } from './model-server.ts';
import { teamScript } from './team-script.ts';

const run = promisify(execFile);

/**
 * The folder `node_modules` with the Agent SDK and Claude Code's binary. It is fetched once for this user, about 100 MB
 * packed, and 364 MB unpacked.
 *
 * @throws where it cannot be fetched, since tests that need it must not pass without it
 */
export async function claudeCodeModules(): Promise<string> {
  const folder = join(cacheFolder(), `claude-agent-sdk-${sdkVersion}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, sdkPackage, 'sdk.mjs'))) return modules;
  mkdirSync(cacheFolder(), { recursive: true });
  const scratch = mkdtempSync(join(cacheFolder(), 'fetching-'));
  try {
    console.error(`Fetching ${sdkPackage} ${sdkVersion} (once, about 100 MB) …`);
    // The package holds its libraries itself, so that those that it names as peers are not needed.
    const words = ['install', '--prefix', scratch, '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', [...words, `${sdkPackage}@${sdkVersion}`], { shell: process.platform === 'win32' });
    // Of two that fetch it at the same time the first one is kept.
    if (!existsSync(folder)) renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return modules;
}

/** Installs it in a worker's folder of configurations, as a user of `claude_code` does. */
export function installIn(folder: string, modules: string): void {
  symlinkSync(modules, join(folder, 'node_modules'));
}

/** A request of Claude Code. */
export interface CodeRequest extends Seen {
  asked: 'answer' | 'vote' | 'decide' | 'present';
  /** How many results of tools it shows that came since it was asked. */
  done: number;
  /** The absolute path of a file of its workspace. */
  place: (path: string) => string;
}

export const useTool = (name: string, input: object): Scripted => ({ calls: [{ name, arguments: input }] });

/** The call of a tool of the workflow. */
export const own = (name: string, input: object): Scripted => useTool(`mcp__reprise__${name}`, input);

/** A script for a team with Claude Code. @param others what the agents of other backends say */
export function codeScript(
  act: (request: CodeRequest) => Scripted | Promise<Scripted>,
  others: Script = teamScript(),
): Script {
  return (seen) => {
    if (seen.wire !== 'anthropic') return others(seen);
    const { messages, prompt } = seen;
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const { text = '' } = messages[last] ?? {};
    const [, workspace = ''] = /Primary working directory: (\S+)/.exec(prompt) ?? [];
    return act({
      ...seen,
      asked: text.includes(presentPrompt)
        ? 'present'
        : seen.tools.includes('mcp__reprise__submit')
          ? 'decide'
          : text.includes('## Answers')
            ? 'vote'
            : 'answer',
      done: messages.slice(last).filter(({ role }) => role === 'tool').length,
      place: (path) => `${workspace}/${path}`,
    });
  };
}

/** What turns of Claude Code have left in a folder for temporary files. */
export const leftIn = (temporary: string): string[] =>
  readdirSync(temporary).flatMap((name) =>
    name.startsWith('claude-resume')
      ? [name]
      : name.startsWith('reprise-claude-code')
        ? readdirSync(join(temporary, name))
        : [],
  );

/** The results of a run's model calls, in their order, by the ids of their agents. */
export async function modelResults(run: WorkflowHandle): Promise<Array<{ agent: string; result: CallModelResult }>> {
  const { events } = await run.fetchHistory();
  const agents = new Map<string, string>();
  return (events ?? []).flatMap((event) => {
    const { activityTaskCompletedEventAttributes: done, activityTaskScheduledEventAttributes: started } = event;
    const [payload] = done?.result?.payloads ?? [];
    if (started?.activityType?.name === 'callModel') {
      const summary = event.userMetadata?.summary;
      agents.set(
        String(event.eventId),
        summary ? defaultPayloadConverter.fromPayload<string>(summary).split(' ')[0]! : '',
      );
    }
    const agent = agents.get(String(done?.scheduledEventId));
    if (!payload || agent === undefined) return [];
    return [{ agent, result: defaultPayloadConverter.fromPayload<CallModelResult>(payload) }];
  });
}

/** The texts of the files in a tree of a worker's store, by their paths. */
export async function filesIn(home: string, tree: string | null): Promise<Record<string, string>> {
  const store = openSqliteStore(join(home, 'store.sqlite'));
  try {
    const texts: Record<string, string> = {};
    for (const [path, { id }] of await new Trees(store).read(tree)) {
      texts[path] = new TextDecoder().decode(await store.object(id));
    }
    return texts;
  } finally {
    await store.close();
  }
}
