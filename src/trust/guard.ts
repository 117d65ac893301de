import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Environment } from '../util/environment.ts';
import { problemText } from '../config/problems.ts';
import { failureTypes } from '../protocol/errors.ts';
import { readAllow } from './allow.ts';
import { homeSecret, isMac, macOf } from './mac.ts';
import { policyOf, strictest, type Policy } from './policy.ts';
import { isSigned, signingName, type SignedRun } from './signature.ts';
import { formOf, violations, type Violation } from './violations.ts';
import { partSchemas, type PartName } from './schemas.ts';

interface GuardSettings {
  environment: Environment;
  configFolder: string;
  home: string;
  /** Permissions in words, see `readAllow`. */
  allow: readonly string[];
  /** A secret that all workers of one store have, by its name. */
  secret: (name: string) => Promise<string>;
}

export type TrustLevel = 'unprivileged' | 'sealed' | 'allowed';

/**
 * Decides for a worker what runs may bring. An input is trusted if whoever has the worker's home or store has signed it. What a
 * trusted input, or a configuration of the worker itself, reaches beyond is sealed for its run, and the activities do what
 * has such a seal, or what the worker's permissions allow to anybody. So nobody gets more by asking the activities
 * themselves, or by a run that pretends to be another's successor.
 */
export class Guard {
  readonly policy: Policy;
  readonly #settings: GuardSettings;
  #secret: string | undefined;

  /** @throws `AllowError` */
  constructor(settings: GuardSettings) {
    const { allow, configFolder, environment, home } = settings;
    this.policy = policyOf({ allow: readAllow(allow), configFolder, home }, environment);
    this.#settings = settings;
  }

  async #sealSecret(): Promise<string> {
    return (this.#secret ??= await this.#settings.secret('seal'));
  }

  async isSigned(input: object): Promise<boolean> {
    if (!('signature' in input)) return false;
    const { home, secret } = this.#settings;
    return isSigned(input, presentRun(), homeSecret(home)) || isSigned(input, presentRun(), await secret(signingName));
  }

  /** A seal for a part of the present run; undefined for one that reaches nothing. */
  async seal(part: PartName, value: unknown): Promise<string | undefined> {
    if (violations(partSchemas[part], value, strictest).length === 0) return undefined;
    return macOf(await this.#sealSecret(), sealedText(part, value));
  }

  /**
   * Checks a part of what an activity of the present run is asked for.
   *
   * @param workflowId absent: the run that the activity belongs to
   * @throws `ApplicationFailure` of type `NotAllowed`, not retryable, if it neither has a valid seal nor is allowed
   */
  async check(part: PartName, value: unknown, seal: unknown, workflowId?: string): Promise<TrustLevel> {
    const schema = partSchemas[part];
    if (violations(schema, value, strictest).length === 0) return 'unprivileged';
    if (seal !== undefined && isMac(await this.#sealSecret(), sealedText(part, value, workflowId), seal))
      return 'sealed';
    const refused = violations(schema, value, this.policy, [part]);
    if (refused.length === 0) return 'allowed';
    const why =
      seal === undefined
        ? 'it has no seal: no worker has prepared the run with it'
        : 'its seal is that of another run, or of workers with another store';
    throw ApplicationFailure.nonRetryable(
      refused.map((each) => `${violationText(each)} (${why})`).join('\n'),
      failureTypes.notAllowed,
    );
  }
}

/** What a seal covers. A setting that reaches nothing, such as a temperature, may change while a run goes on. */
function sealedText(part: PartName, value: unknown, workflowId = presentRun().workflowId): unknown {
  return ['reprise seal', part, presentRun().namespace, workflowId, reachingPart(part, value)];
}

function reachingPart(part: PartName, value: unknown): unknown {
  const { keys } = part === 'mcp' ? {} : formOf(partSchemas[part]);
  if (keys === undefined || typeof value !== 'object' || value === null) return value;
  const reaching = Object.entries(value).filter(([key]) => {
    const own = Object.hasOwn(keys, key) ? keys[key] : undefined;
    return own === undefined || formOf(own).privilege !== 'none';
  });
  return Object.fromEntries(reaching);
}

/** The run that an activity belongs to. @throws `ApplicationFailure` if it is none of a workflow */
function presentRun(): SignedRun {
  const { namespace, workflowExecution, workflowType = '' } = Context.current().info;
  return { namespace, workflowType, workflowId: workflowExecution?.workflowId ?? '' };
}

/** A refusal in words, with what to do. @param command that starts such a run */
export function violationText({ flag, path, what }: Violation, command = 'ask'): string {
  const isAttachment = path[0] === 'attachments';
  const ways = [
    isAttachment
      ? 'Send its content instead (name and data)'
      : "Put the configuration into the worker's folder and name it",
    `start the run with \`reprise ${command} ${isAttachment ? '--attach' : '--config'} FILE "…"\``,
    ...(flag === undefined ? [] : [`start the worker with --allow ${flag}`]),
  ];
  const problem = `an input may not ${what}. ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}`;
  return problemText({ path, message: problem });
}
