import { createHmac } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { webhookSecret } from '../../config/notify.ts';
import { variablesIn, withVariables } from '../../config/variables.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { Notification } from '../../protocol/notify.ts';
import type { NotifyEntry } from '../../protocol/settings.ts';
import { plainUrl } from '../../trust/policy.ts';
import type { Environment } from '../../util/environment.ts';
import { retryDelay } from '../../util/retry-delay.ts';
import { version } from '../../util/version.ts';
import { bodyOf } from './body.ts';

/** In milliseconds. */
const timeout = 15_000;

const passing = [408, 429];

/**
 * Signed as Standard Webhooks has it. All tries have one `webhook-id`, by which a receiver knows the same again.
 * Redirects are not followed.
 * @throws `ApplicationFailure` of type `NotDelivered`, which names the host alone: the rest of an address may be
 *   secret
 */
export function createSendWebhook({ environment }: { environment: Environment }) {
  return async function sendWebhook(entry: NotifyEntry, notification: Notification): Promise<void> {
    const { cancellationSignal, info } = Context.current();
    const { missing, values } = withVariables({ address: entry.url }, environment);
    const url = plainUrl(values['address']);
    if (missing.length > 0 || url === undefined)
      throw notDelivered(`${variablesIn(entry.url).join(', ')} on this worker gives no address`);
    // Of an entry that the worker trusts the seal was checked before. Another worker may have what this one lacks.
    const { problem, secret } = entry.seal === undefined ? {} : webhookSecret(entry, environment);
    if (problem !== undefined) throw notDelivered(`${problem} (on this worker)`);
    const body = bodyOf(entry.format, notification, environment);
    const id = `msg_${info.workflowExecution?.workflowId}`;
    const signing = entry.format === 'slack' ? {} : signed(id, body, secret);
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'user-agent': `reprise/${version}`, ...signing },
      body,
      signal: AbortSignal.any([cancellationSignal, AbortSignal.timeout(timeout)]),
    }).catch(({ cause, message }: Error) => {
      const { code = message } = (cause ?? {}) as NodeJS.ErrnoException;
      throw notDelivered(`${url.host} cannot be reached: ${code}`);
    });
    await response.body?.cancel();
    const { headers, ok, status } = response;
    if (ok) return;
    const mayPass = status >= 500 || passing.includes(status);
    throw notDelivered(`${url.host} answered with status ${status}`, mayPass, retryDelay(headers, Date.now()));
  };
}

function signed(id: string, body: string, secret: Buffer | undefined): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return named;
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...named, 'webhook-signature': `v1,${signature}` };
}

const notDelivered = (message: string, mayPass = true, nextRetryDelay?: number): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: failureTypes.notDelivered,
    nonRetryable: !mayPass,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
