import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfigFile } from '../../src/config/read-config.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { call, inTurn, toolResults } from '../support/agent-script.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

// Workers as `--config examples/…` starts them: the folder of extensions is that of the configuration.
const running = sharedRunning(() => ({}), examples);
const keyless = sharedRunning(() => ({ OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }), examples);

function configOf(name: string): object {
  const read = readConfigFile(`${examples}${name}.yaml`);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config.content;
}

/** The question that an example's first lines put. */
const questionOf = (name: string): string =>
  /^# .*"(.*)"$/m.exec(readFileSync(`${examples}${name}.yaml`, 'utf8'))?.[1] ?? '';

async function turnOf(run: SharedRunning, name: string): Promise<{ result: SessionResult; used: string[] }> {
  const session = await run.startSession({ config: configOf(name), text: questionOf(name) });
  const result = (await session.result()) as SessionResult;
  const events = await session.query<RunEvent[]>('events');
  const used = events.flatMap((event) => (event.type === 'tool_ended' ? [`${event.tool} ${event.status}`] : []));
  return { result, used };
}

const think = { text: 'I need the weather.' };
const look = call('get_weather', { city: 'Paris' });
const paris = { city: 'Paris', sky: 'partly cloudy', temperature: 18, unit: 'celsius', source: 'sample data' };

describe('the blocks of the documentation run as printed, with the tools beside them', () => {
  test.each([
    ['simple-tool', [look, { text: 'Mild.' }], 'Mild.'],
    ['react', [think, look, think, think, { text: 'FINAL_ANSWER: Mild.' }], 'Mild.'],
  ])('%s', async (name, replies, answer) => {
    const run = running(inTurn(replies));
    const { result, used } = await turnOf(run, name);
    expect(result).toMatchObject({ answer, outcome: 'answered' });
    expect(used).toEqual(['get_weather ok']);
    const last = run.model.requests.at(-1)!;
    expect(toolResults(last).map((text) => JSON.parse(text) as unknown)).toEqual([paris]);
    expect(last.tools).toEqual(['get_weather', 'list_events', 'add_event']);
  });
});

describe('without a key', () => {
  const weather = /^city: Paris, sky: partly cloudy, temperature: 18, .*sample data \(get_weather\)$/m;

  test('agent-offline: the tool that fits is used, the rest is answered from texts, over all turns', async () => {
    const run = keyless(inTurn([]));
    const { result, used } = await turnOf(run, 'agent-offline');
    expect(used).toEqual(['get_weather ok']);
    expect(result.answer).toMatch(weather);

    const session = await run.startSession({ config: configOf('agent-offline') });
    const say = async (text: string): Promise<string> =>
      (await session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] })).answer;
    const turns = [...readFileSync(`${examples}agent-offline.yaml`, 'utf8').matchAll(/"([^"]*)"(?=[,.])/g)];
    const answers: string[] = [];
    for (const [, text = ''] of turns) answers.push(await say(text));
    expect(answers).toEqual([
      expect.stringMatching(/A restart keeps the timeout flags.*\(docs\/orchestration\.md:\d+\)/),
      expect.stringMatching(/It resets the agents' answers, .*\(docs\/orchestration\.md:\d+\)/),
      expect.stringMatching(/^city: Tokyo, sky: sunny/),
    ]);
    await session.signal('close');
    await session.result();
    expect(run.model.requests).toEqual([]);
  });

  test('react-offline: a cycle for each tool, and one for the answer', async () => {
    const run = keyless(inTurn([]));
    const { result, used } = await turnOf(run, 'react-offline');
    expect(result).toMatchObject({ outcome: 'answered', usage: { calls: 8 } });
    expect(used).toEqual(['get_weather ok', 'list_events ok']);
    expect(result.answer).toMatch(weather);
    expect(result.answer).toMatch(/^date: 2026-03-02, time: 09:30, title: Stand-up \(list_events\)$/m);
    const marks = result.messages.map((text) => /\*\*([A-Z ]+)/.exec(text)?.[1]);
    expect(marks.filter((mark) => mark === 'THOUGHT')).toHaveLength(3);
    expect(marks.at(-1)).toBe('FINAL ANSWER');
    expect(run.model.requests).toEqual([]);
  });
});
