import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { remedyOf } from '../../client/show/kinds.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { hunksOf } from '../../tools/workspaces/diff.ts';
import { argumentsIn, visible } from '../../workflows/agent/arguments.ts';
import { formToken } from '../access.ts';
import type { NamedConfig } from '../configs.ts';
import { cookieName } from '../door.ts';
import type { Served, ServeEnv } from '../served.ts';
import { askedBlock, html, runPath, waitFacts, type Html } from './html.ts';

/** What was sent by a form and not taken: why, in which field, and what was typed, which is not lost. */
export interface Refused {
  field: string;
  problem: string;
  typed: Record<string, string>;
}

export interface FormKit {
  /** The field by which a form is known to be one of this server's, for this reader. */
  token: Html;
  refused: Refused | undefined;
}

export const formKit = (c: Context<ServeEnv>, { owner, url }: Served, refused?: Refused): FormKit => ({
  token: html`<input type="hidden" name="form" value="${formToken(owner, getCookie(c, cookieName(url)) ?? '')}" />`,
  refused,
});

interface Field {
  name: string;
  label: string;
  value?: string;
  rows?: number;
  isOptional?: boolean;
}

function area({ refused }: FormKit, { isOptional, label, name, rows = 3, value = '' }: Field): Html {
  const problem = refused?.field === name ? refused.problem : undefined;
  const invalid = html`aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<label for="${name}">${label}</label>
    ${problem !== undefined && html`<span class="problem" id="${name}-problem">${problem}</span>`}
    <textarea
      id="${name}"
      name="${name}"
      rows="${rows}"
      ${!isOptional && html`required`}
      ${problem !== undefined && invalid}
    >
${refused?.typed[name] ?? value}</textarea>`;
}

const button = (value: string, label: string, how?: 'first' | 'skips'): Html =>
  html`<button
    name="act"
    value="${value}"
    ${how === 'first' && html`class="first"`}
    ${how === 'skips' && html`formnovalidate`}
  >
    ${label}
  </button>`;

const form = ({ token }: FormKit, action: string, body: Html | Html[]): Html =>
  html`<form method="post" action="${action}">${token}${body}</form>`;

/** Something to open, which is open where what was sent by it is at fault. */
const folded = (kit: FormKit, title: string, field: string, body: Html): Html =>
  html`<details ${kit.refused?.field === field && html`open`}>
    <summary>${title}</summary>
    ${body}
  </details>`;

export function settleForms(kit: FormKit, id: string, pending: PendingQuestion): Html {
  const action = runPath(id, 'answer', pending.questionId);
  const head = html`<p class="waits">${waitFacts(pending)}</p>
    ${askedBlock(pending)}`;
  switch (pending.kind) {
    case 'question':
      return html`${head}${answerForm(kit, action)}`;
    case 'key':
      return html`${head}
        <p>${remedyOf(pending)}</p>
        ${form(kit, action, button('skip', 'Go on without it'))}`;
    case 'tool':
      return html`${head}${toolForms(kit, action, pending)}`;
    case 'approval':
      return html`${head}${actForms(kit, id, 'decide')}
        <h2>Or plan anew</h2>
        ${actForms(kit, id, 'restart')}`;
  }
}

export const answerForm = (kit: FormKit, action: string): Html =>
  form(kit, action, [
    area(kit, { name: 'answer', label: 'Your answer', rows: 5 }),
    button('answer', 'Send the answer', 'first'),
    button('skip', 'Skip the question', 'skips'),
  ]);

function toolForms(kit: FormKit, action: string, { arguments: given = '', tool = '' }: PendingQuestion): Html {
  const whole = argumentsIn(given);
  const diff = whole && callDiff(whole);
  const reason = area(kit, { name: 'reason', label: 'Why not (the agent reads it)', isOptional: true });
  const typed = area(kit, {
    name: 'arguments',
    label: whole ? 'All arguments, as JSON' : 'All arguments, as JSON; they are too long to be filled in here',
    value: whole ? given : '',
    rows: 8,
  });
  return html`${
    diff !== undefined &&
    html`<h2>What it would change</h2>
      <pre>${diff}</pre>`
  }
  ${form(kit, action, [button('allow', `Allow ${tool}`, 'first'), button('always', `Allow ${tool} for all of this run`)])}
  ${folded(kit, 'Deny it', 'reason', form(kit, action, [reason, button('deny', 'Deny it'), button('never', `Deny ${tool} for all of this run`)]))}
  ${folded(kit, 'Change its arguments', 'arguments', form(kit, action, [typed, button('edit', 'Run it with these')]))}`;
}

export type RunAct = 'restart' | 'decide' | 'message' | 'cancel';

/**
 * What may be done to an open run at any time, by the name of its page. `of`: the workflow types to which it may; absent: all.
 * `needed`: the fields of its form that must not be empty.
 */
export const runActs: Record<RunAct, { what: string; of?: string[]; needed: string[] }> = {
  message: { what: 'Send a message', of: ['session'], needed: ['text', 'once'] },
  restart: { what: 'Start it over', of: ['orchestration', 'research'], needed: ['reason', 'instructions'] },
  decide: { what: 'End the loop', of: ['research'], needed: ['act'] },
  cancel: { what: 'Cancel it', needed: [] },
};

export const actsOf = (workflow: string): RunAct[] =>
  (Object.keys(runActs) as RunAct[]).filter((act) => runActs[act].of?.includes(workflow) ?? true);

export function actForms(kit: FormKit, id: string, act: RunAct): Html {
  const fields: Record<RunAct, () => Html[]> = {
    restart: () => [
      area(kit, { name: 'reason', label: 'Why it should start over' }),
      area(kit, { name: 'instructions', label: 'What should be done otherwise' }),
      button('restart', 'Start it over', 'first'),
    ],
    decide: () => [
      area(kit, { name: 'note', label: 'A note for the report', isOptional: true }),
      button('accept', 'Write the report now', 'first'),
      button('stop', 'Stop without a report'),
    ],
    message: () => [
      area(kit, { name: 'text', label: 'Your message', rows: 5 }),
      onceField(kit),
      button('message', 'Send it', 'first'),
    ],
    cancel: () => [
      html`<p>It ends with the best answer that it has so far. That cannot be taken back.</p>`,
      button('cancel', 'Cancel the run'),
    ],
  };
  return form(kit, runPath(id, act), fields[act]());
}

/** By this field a form that is sent twice does once what it is for. */
const onceField = ({ refused }: FormKit): Html =>
  html`<input type="hidden" name="once" value="${refused?.typed['once'] ?? randomUUID()}" />`;

const kindTexts: Record<NamedConfig['kind'], string> = {
  team: 'a team answers',
  agent: 'one agent answers',
  research: 'an idea is researched',
  plan: 'a problem is solved by a plan',
};

export function startForm(kit: FormKit, configs: NamedConfig[]): Html {
  if (configs.length === 0) return html`<p>There is no configuration that this token may start.</p>`;
  const chosen = kit.refused?.typed['name'];
  return form(kit, '/start', [
    html`<label for="name">What is started</label
      ><select id="name" name="name">
        ${configs.map(
          ({ kind, name }) =>
            html`<option value="${name}" ${name === chosen && html`selected`}>${name}: ${kindTexts[kind]}</option>`,
        )}
      </select>`,
    area(kit, { name: 'text', label: 'The task, the idea or the problem', rows: 6 }),
    onceField(kit),
    button('start', 'Start it', 'first'),
  ]);
}

/** What tools for files call a part of a text and what takes its place, and those of Claude Code and of MCP's usual servers. */
const pairs = [
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
] as const;

const linesOf = (text: string): string[] => visible(text.replaceAll('\r\n', '\n')).split('\n');

/**
 * What a call of a tool would change in a file, as far as its arguments say that: the parts that it replaces, or all that it
 * writes. Each line begins with a sign. Undefined for a call that changes no file.
 */
export function callDiff(input: Record<string, unknown>): string | undefined {
  const edits = Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [];
  const hunks = [input, ...edits].flatMap((edit) => {
    const given = (edit ?? {}) as Record<string, unknown>;
    return pairs.flatMap(([from, to]) => {
      const [old, now] = [given[from], given[to]];
      return typeof old === 'string' && typeof now === 'string' ? [hunksOf(linesOf(old), linesOf(now))] : [];
    });
  });
  if (hunks.length > 0)
    return hunks.map((lines) => lines.filter((line) => !line.startsWith('@@')).join('\n')).join('\n\n');
  const path = input['path'] ?? input['file_path'];
  const { content } = input;
  if (typeof path !== 'string' || typeof content !== 'string') return undefined;
  return `+${linesOf(content).join('\n+')}`;
}
