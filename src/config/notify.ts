import { z } from 'zod';
import { checkedBy, problemText } from './problems.ts';
import { guarded, safe } from './privileges.ts';
import { isPlaceholder, variablesIn } from './variables.ts';
import { VariableError, type Environment } from '../util/environment.ts';
import { parsedJson } from '../util/values.ts';
import type { NotifyEntry } from '../protocol/settings.ts';

const events = ['question', 'approval', 'final'] as const;

/** Whether a text is an address to which can be posted. Of one with variables in it nothing is known yet. */
function isAddress(text: string): boolean {
  const { password, protocol = '', username } = URL.parse(text) ?? {};
  return isPlaceholder(text) || (/^https?:$/.test(protocol) && username === '' && password === '');
}

export const notifyEntrySchema = z
  .strictObject({
    url: z
      .string()
      .refine(isAddress, { error: 'must be an address with http:// or https:// and without a password, or ${NAME}' })
      .meta(guarded('address', "Where it is posted; ${NAME} stands for a variable of the worker's environment.")),
    events: z
      .array(z.enum(events))
      .min(1)
      .default([...events])
      .meta(
        safe('question: a person is asked. approval: a call or a plan waits for one. final: a run or turn has ended.'),
      ),
    format: z
      .enum(['standard', 'slack'])
      .default('standard')
      .meta(safe('JSON, signed as Standard Webhooks has it, or a message for an incoming webhook of Slack.')),
    secret_env: z
      .string()
      .min(1)
      .optional()
      .meta(guarded('keyVariable', 'The variable with the secret (whsec_…). Absent: REPRISE_WEBHOOK_SECRET, if set.')),
  })
  .refine(({ format, secret_env }) => format === 'standard' || secret_env === undefined, {
    path: ['secret_env'],
    error: 'is for format: standard alone, since Slack checks no signature; leave it out',
  });

const listSchema = z.array(notifyEntrySchema).max(20);
export const notifySchema = listSchema.optional().describe('Who is told of a run, by webhooks.');

/** The entries of `REPRISE_NOTIFY`, which hold for all runs of a worker. @throws `VariableError` */
export function workerNotify(environment: Environment): NotifyEntry[] {
  const { REPRISE_NOTIFY: text = '[]' } = environment;
  const content = parsedJson(text);
  if (content === undefined)
    throw new VariableError('REPRISE_NOTIFY: it must be JSON, such as [{"url": "https://example.com/hook"}]');
  const checked = checkedBy(listSchema, content);
  const problems = checked.ok
    ? missingForNotify(checked.value, environment)
    : checked.problems.map((problem) => problemText(problem));
  if (checked.ok && problems.length === 0) return checked.value;
  throw new VariableError(problems.map((problem) => `REPRISE_NOTIFY: ${problem}`).join('\n'));
}

/** The secret by which an entry is signed, if there is one, or what is wrong with it. */
export function webhookSecret(
  { secret_env }: Pick<NotifyEntry, 'secret_env'>,
  environment: Environment,
): { secret?: Buffer; problem?: string } {
  const name = secret_env ?? 'REPRISE_WEBHOOK_SECRET';
  const value = environment[name];
  if (value === undefined && secret_env === undefined) return {};
  const [, base64] = /^whsec_([A-Za-z\d+/]{32,}={0,2})$/.exec(value ?? '') ?? [];
  if (base64 !== undefined) return { secret: Buffer.from(base64, 'base64') };
  return { problem: `${name} must be set to a secret: echo whsec_$(openssl rand -base64 32)` };
}

export const missingForNotify = (entries: NotifyEntry[] = [], environment: Environment): string[] =>
  entries.flatMap((entry, index) => {
    const unset = variablesIn(entry.url).filter((name) => environment[name] === undefined);
    const { problem } = webhookSecret(entry, environment);
    const problems = [
      ...unset.map((name) => ['url', `${name} is not set`]),
      ...(problem ? [['secret_env', problem]] : []),
    ];
    return problems.map(([key = '', message = '']) => problemText({ path: ['notify', index, key], message }));
  });

/** Lines for a person about who is told, if a configuration names anybody. */
export const describeNotify = (entries: NotifyEntry[] = [], environment: Environment): string[] =>
  entries.map((entry) => {
    const { REPRISE_WEBHOOK_SECRET: usual } = environment;
    const isUnsigned = entry.format === 'standard' && (entry.secret_env ?? usual) === undefined;
    const how = isUnsigned ? 'unsigned: REPRISE_WEBHOOK_SECRET is not set' : entry.format;
    return `Tells ${URL.parse(entry.url)?.host ?? entry.url} of ${entry.events.join(', ')} (${how}).`;
  });
