import { randomBytes } from 'node:crypto';
import { isMac, macOf } from '../trust/mac.ts';
import type { Environment } from '../util/environment.ts';
import { hashOf, isSameSecret } from '../util/ids.ts';
import { madeOnce } from '../util/private-files.ts';

/** What a token lets its holder do. `start`: start the named configurations alone, and deal with the runs that it has started. */
export type Grant = { kind: 'all' } | { kind: 'read' } | { kind: 'start'; names: string[] };

export interface Access {
  grant: Grant;
  /** What the ids of the runs begin with that it may see, which all tokens for the same configurations share; empty: it sees all. */
  prefix: string;
  /** When it ends, in milliseconds since the epoch; absent: never, while the owner's token is this one. */
  until?: number;
}

const tokenVariable = 'REPRISE_TOKEN';

const shortest = 16;

/**
 * The token that opens everything: `REPRISE_TOKEN`, else one that is made once and kept in the home. All others are derived
 * from it, so that any server that has it knows them, and none keeps a list. @throws `Error` where it is too short
 */
export function ownerToken(home: string, environment: Environment): string {
  const { [tokenVariable]: given } = environment;
  if (given !== undefined && given.length < shortest)
    throw new Error(`${tokenVariable} has ${given.length} characters; a token that cannot be guessed has ${shortest}`);
  return given ?? madeOnce(home, 'token', () => `rpr_${randomBytes(24).toString('base64url')}`);
}

/** Makes a token for less, or for a time. @param until milliseconds since the epoch; 0: while the owner's token is this one */
export function issue(owner: string, grant: Grant, until = 0): string {
  const said = [grant.kind, grant.kind === 'start' ? grant.names.join(',') : '', until];
  return `rpr.${Buffer.from(said.join('\n')).toString('base64url')}.${macOf(owner, said.join('\n'))}`;
}

/** What a token lets its holder do; undefined where it is none of this owner's, or its time is up. */
export function accessOf(owner: string, token: string, now = Date.now()): Access | undefined {
  if (isSameSecret(owner, token)) return { grant: { kind: 'all' }, prefix: '' };
  const [, encoded = '', mac] = /^rpr\.([\w-]{1,4000})\.([\w-]+)$/.exec(token) ?? [];
  const said = Buffer.from(encoded, 'base64url').toString();
  if (!isMac(owner, said, mac)) return undefined;
  const [kind, names = '', until] = said.split('\n');
  if (Number(until) !== 0 && Number(until) <= now) return undefined;
  const end = Number(until) === 0 ? {} : { until: Number(until) };
  if (kind !== 'start') return { grant: { kind: kind === 'read' ? 'read' : 'all' }, prefix: '', ...end };
  return { grant: { kind, names: names.split(',') }, prefix: `t${hashOf(names).slice(0, 8)}-`, ...end };
}

/** The value of a cookie, or of a form's field, that is known only to whoever has the token or the cookie. */
export const formToken = (owner: string, cookie: string): string => macOf(owner, ['form', cookie]);

export const isFormToken = (owner: string, cookie: string, given: unknown): boolean =>
  isMac(owner, ['form', cookie], given);

/** Whether runs of a configuration may be started; undefined: the worker's default one, or one that the request brings. */
export const mayStart = ({ grant }: Access, name: string | undefined): boolean =>
  grant.kind === 'all' || (grant.kind === 'start' && name !== undefined && grant.names.includes(name));

export const reaches = ({ prefix }: Access, id: string): boolean => id.startsWith(prefix);

/** By what those are counted who may do the same: whoever gets more tokens for it, as each login is one, may do no more by them. */
export const holderOf = ({ grant, prefix }: Access): string => prefix || grant.kind;
