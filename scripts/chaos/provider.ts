/**
 * A provider of models, and a service that tools take effect at, as a process of its own: `node provider.ts SEED`. It prints
 * its addresses as a line of JSON, and gives its books at `GET /books` of the service. It lives for as long as its standard
 * input is open.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startModelServer, type Scripted, type Seen } from '../../test/support/model-server.ts';
import { plannedFaults, plannedOddity, plannedPace, type Fault, type Oddity } from './plan.ts';
import { lookUp, readingsIn, sentencesIn, type Reading, type Told } from './look-ups.ts';
import { replyTo, runOfRequest } from './replies.ts';
import type { Books, Effect } from './verdict.ts';

const seed = Number(process.argv[2]);

interface Served {
  call: string;
  run: string;
  fault?: Fault;
  oddity?: Oddity;
}

const served = new Map<number, Served>();
/** How many requests each call has made. */
const tries = new Map<string, number>();

const model = await startModelServer(async (seen) => {
  listen(seen);
  const call = identityOf(seen);
  const before = tries.get(call) ?? 0;
  tries.set(call, before + 1);
  const entry: Served = { call, run: runOfRequest(seen) ?? '' };
  served.set(seen.index, entry);
  const good = await replyTo(seed, seen);
  const fault = endless(call, before) ?? plannedFaults(seed, call)[before];
  if (fault !== undefined) {
    entry.fault = fault;
    return faulty(good, fault);
  }
  const oddity = oddityOf(call, seen, good);
  if (oddity !== undefined) entry.oddity = oddity;
  const reply = oddity === undefined ? good : odd(good, oddity);
  return { ...reply, ...plannedPace(seed, call), text: `${reply.text ?? ''} ${mark(seen.index, oddity)}`.trim() };
});

/** What stands in a reply, by which it is known again in the store and in later requests. */
const mark = (index: number, oddity?: Oddity): string => `[reply ${index}${oddity === undefined ? '' : ', odd'}]`;

/** What an agent is writing at this moment is not the same in two tries of one call of its shadow. */
const isVolatile = (text: string): boolean => text.startsWith('[You are writing at this moment:]');

/** Tells a call by what it says, so that it is the same however often and by whomever it is made. */
function identityOf(seen: Seen): string {
  const texts = seen.messages
    .filter(({ text }) => !isVolatile(text))
    .map(({ role, text, calls }) => [role, text, calls]);
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12);
  const agent = /I am (\S+)\./.exec(seen.prompt)?.[1] ?? seen.tools[0] ?? 'agent';
  return `${runOfRequest(seen)} ${agent} after ${seen.messages.length} messages, ${hash}`;
}

/** A line without end costs an agent its place, so that it happens only to one whom its team can do without. */
const endless = (call: string, before: number): Fault | undefined =>
  /^peers-\d*[05] agent_c after 2 /.test(call) && before === 0 ? 'an endless line' : undefined;

const broken: Partial<Record<Fault, (good: Scripted) => Scripted>> = {
  '429 with Retry-After': () => ({ status: 429, headers: { 'retry-after': '1' } }),
  'status 500': () => ({ status: 500 }),
  'status 503': () => ({ status: 503 }),
  'dropped at once': (good) => ({ ...good, breaks: { after: 0, by: 'dropping' } }),
  'stalled from the start': (good) => ({ ...good, breaks: { after: 0, by: 'stalling' } }),
  'stalled half way': (good) => ({ ...good, breaks: { after: 2, by: 'stalling' } }),
  'bad JSON': (good) => ({ ...good, breaks: { after: 2, by: 'bad JSON' } }),
  'an endless line': (good) => ({ ...good, breaks: { after: 2, by: 'an endless line' } }),
  'a page instead of a reply': () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    errorBody: '<html><body>Welcome to the proxy</body></html>',
  }),
};

const faulty = (good: Scripted, fault: Fault): Scripted =>
  broken[fault]?.(good) ?? { ...good, breaks: { after: 2, by: 'dropping' } };

/**
 * An oddity does not follow upon another, since models that never do as asked are given up. A question is always asked: an
 * answer that a person has given before would otherwise wait in vain. So no words take the place of what is looked up before it,
 * which would end the turn.
 */
function oddityOf(call: string, { messages, tools }: Seen, good: Scripted): Oddity | undefined {
  const wasOdd = messages.slice(-6).some(({ text }) => text.includes(', odd]'));
  const names = good.calls?.map(({ name }) => name);
  const isQuestion = names?.includes('ask_others') ?? true;
  if (wasOdd || tools.length === 0 || isQuestion) return undefined;
  const oddity = plannedOddity(seed, call);
  const isWords = oddity === 'prose' || oddity === 'cut off';
  return isWords && names?.includes(lookUp) ? undefined : oddity;
}

function odd(good: Scripted, oddity: Oddity): Scripted {
  const name = good.calls?.[0]?.name ?? '';
  if (oddity === 'broken arguments') return { calls: [{ name, arguments: '{"content": "half of' }] };
  if (oddity === 'unknown tool') return { calls: [{ name: 'do_everything', arguments: {} }] };
  if (oddity === 'cut off') return { text: 'I would say that it is', finish: 'length' };
  return { text: 'Let me think about it.' };
}

/** What tools have brought to their agents, and what agents have said about it, each once however often it is shown. */
const readings = new Map<string, Reading>();
const said = new Map<string, Told>();

function listen(seen: Seen): void {
  const run = runOfRequest(seen) ?? '';
  for (const reading of readingsIn(seen)) {
    readings.set(`${run} ${reading.call} ${reading.subject} ${reading.result}`, { run, ...reading });
  }
  for (const text of sentencesIn(seen.prompt)) said.set(`${run} ${text}`, { about: run, text });
}

const effects: Effect[] = [];
const service = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://rooms');
  const get = (name: string): string => query.get(name) ?? '';
  if (pathname === '/books') return response.end(JSON.stringify(books()));
  void (async () => {
    // Workers die before and after a booking.
    await pause(Math.random() * 1500);
    const isKnown = get('honours') !== '' && effects.some(({ key }) => key === get('key'));
    if (!isKnown) effects.push({ run: get('run'), operation: get('operation'), key: get('key') });
    await pause(Math.random() * 1500);
    response.end('Booked');
  })();
  return undefined;
});

function books(): Books {
  const requests = model.requests.map(({ index, at, answered, prompt }) => {
    const { call = 'a refused request', run = '', fault, oddity } = served.get(index) ?? {};
    const told = prompt.match(/\[person [^\]]+\]/g) ?? [];
    return { reply: index, call, run, at, answered: answered && fault === undefined, fault, oddity, told };
  });
  return { requests, effects, readings: [...readings.values()], said: [...said.values()], refused: [...model.refused] };
}

service.listen(0, '127.0.0.1');
await once(service, 'listening');
console.log(
  JSON.stringify({ model: model.openai, service: `http://127.0.0.1:${(service.address() as AddressInfo).port}` }),
);
process.stdin.resume().once('close', () => process.exit());
