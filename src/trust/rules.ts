import { backendTypes } from '../config/models/providers.ts';
import { isModulePath } from '../config/extensions.ts';
import type { Privilege } from '../config/privileges.ts';
import { variablesIn } from '../config/variables.ts';
import { allowsHost } from './allow.ts';
import { allowsPath, plainUrl, type Policy } from './policy.ts';
import { isObject } from '../util/values.ts';

export interface Refused {
  /** What an input may not do, behind "an input may not". */
  what: string;
  /** What would allow it, behind `--allow`; absent where nothing does. */
  flag?: string;
}

/** Says why a value is refused; undefined if it is not. @param beside the mapping that holds the value */
export type Rule = (value: unknown, beside: Record<string, unknown>, policy: Policy) => Refused | undefined;

const notPlain = (what: string): Refused => ({ what: `bring ${what} that is none` });

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const unlessAbsent =
  (rule: Rule): Rule =>
  (value, beside, policy) =>
    isAbsent(value) ? undefined : rule(value, beside, policy);

/** Texts that go to an address, where no variable of the worker's may go because an input says so. */
const noVariables: Rule = unlessAbsent((value) => {
  const [name] = placeholdersIn(value);
  return name === undefined ? undefined : { what: `hand on the variable ${name} of the worker` };
});

const address: Rule = unlessAbsent((value, beside, policy) => {
  const refused = noVariables(value, beside, policy);
  if (refused !== undefined) return refused;
  const { allow } = policy;
  const url = plainUrl(value);
  if (url === undefined) return notPlain('an address');
  return allowsHost(allow, url) ? undefined : { what: 'bring an address of its own', flag: `hosts=${url.host}` };
});

/** Headers by which a gateway is told to send the request, and the key with it, to another address. */
const routing =
  /host|url|uri|base|target|forward|proxy|rout|upstream|endpoint|config|provider|virtual|connection|encoding/i;

/** Keys of a request by which a gateway is told of other addresses, or by which a provider finds what its account has stored. */
const reachingBody =
  /^(api_?base|base_?url|\w*_endpoint|api_?key|extra_headers|user_config|model_list|fallbacks|previous_response_id|conversation|prompt|container|cached_?content|mcp_servers)$/i;

/** Nothing that a provider takes is deeper. */
const maxDepth = 30;

function namesIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth > maxDepth) return ['api_base'];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap((each) => namesIn(each, depth + 1))];
}

const commandMode: Rule = unlessAbsent((value, _beside, { allow }) => {
  if (value === 'docker' || allow.commands) return undefined;
  return { what: 'have commands run as the user of the worker', flag: 'commands' };
});

/** It counts from the worker's working directory, or `inConfigFolder` from its configurations. @param what an input does with it */
const path =
  ({ inConfigFolder, what }: { inConfigFolder: boolean; what: string }): Rule =>
  (value, _beside, policy) => {
    if (isAbsent(value)) return undefined;
    if (typeof value !== 'string' || value.includes('\0')) return notPlain('a path');
    const base = inConfigFolder ? policy.configFolder : '.';
    return allowsPath(policy, value, base) ? undefined : { what, flag: 'files=DIR' };
  };

const aFolder = "name a folder of the worker's machine";
const attachedFile = path({ inConfigFolder: true, what: "name a file of the worker's machine" });
const moduleOfItsOwn: Refused = { what: 'have a module of the worker loaded', flag: 'modules' };

/** The built-in packages that read the worker's folder of configurations. */
const readers = ['builtin.files', 'builtin.search'];
const ownFolder = path({ inConfigFolder: true, what: "have agents read the worker's own folder" });

/** The names of variables in texts by name; a value of any other shape counts as one. */
function placeholdersIn(value: unknown): string[] {
  if (!isObject(value)) return typeof value === 'string' ? variablesIn(value) : ['?'];
  return Object.values(value).flatMap((text) => (typeof text === 'string' ? variablesIn(text) : ['?']));
}

/** The rule of each privilege that is decided by the value alone. */
export const rules: Record<Exclude<Privilege, 'configuration' | 'moduleConfig' | 'none'>, Rule> = {
  address,
  /** A path, or a mapping with a path. One with its content in it reaches nowhere. */
  attachment: (value, beside, policy) => {
    if (!isObject(value)) return attachedFile(value, beside, policy);
    return 'path' in value ? attachedFile(value['path'] ?? '\0', beside, policy) : undefined;
  },
  backendType: unlessAbsent((value, _beside, { allow }) => {
    if (!backendTypes.some((type) => type === value)) return notPlain('a type');
    if (value !== 'claude_code' || allow.commands) return undefined;
    return { what: 'start Claude Code, which runs as the user of the worker', flag: 'commands' };
  }),
  /** Of a backend: its address, to which the worker's keys go only if the address is the worker's as well. */
  baseUrl: unlessAbsent((value, backend, policy) => {
    if (policy.isOwnAddress(backend)) return undefined;
    const refused = address(value, backend, policy);
    if (refused !== undefined || !isAbsent(backend['api_key_env']) || backend['type'] === 'chatcompletion')
      return refused;
    return { what: 'have a key sent to an address of its own; a server without a key is a chatcompletion backend' };
  }),
  command: unlessAbsent((_value, _beside, { allow }) =>
    allow.commands ? undefined : { what: 'bring a command of its own', flag: 'commands' },
  ),
  commandMode,
  /** The variables of a command, which gets no others of the worker's. */
  commandVariables: unlessAbsent((value, _beside, policy) => {
    const unknown = placeholdersIn(value).find((name) => !policy.isKnownVariable(name));
    return unknown === undefined ? undefined : { what: `hand on the variable ${unknown} of the worker` };
  }),
  /** No input may bring it at all. */
  earlier: (value) => (isAbsent(value) ? undefined : { what: 'say what an earlier run of the session has come to' }),
  extraBody: unlessAbsent((value) => {
    const name = namesIn(value, 0).find((each) => reachingBody.test(each));
    return name === undefined ? undefined : { what: `put ${name} into requests, which reaches beyond its own model` };
  }),
  folder: path({ inConfigFolder: false, what: aFolder }),
  folderInConfig: path({ inConfigFolder: true, what: aFolder }),
  headers: unlessAbsent((value, beside, policy) => {
    const refused = noVariables(value, beside, policy);
    if (refused !== undefined) return refused;
    const name = Object.keys(value as object).find((each) => routing.test(each));
    return name === undefined
      ? undefined
      : { what: `bring the header ${name}, which may send the worker's key elsewhere` };
  }),
  keyVariable: unlessAbsent((value, backend, policy) =>
    policy.isOwnAddress(backend)
      ? undefined
      : { what: `have the variable ${String(value)} of the worker sent to an address that is not that key's own` },
  ),
  /** The name of a loop or of a module; only a path is one of the user's own. */
  modulePath: unlessAbsent((value, _beside, { allow }) => {
    if (typeof value !== 'string') return notPlain('a module');
    return isModulePath(value) && !allow.modules ? moduleOfItsOwn : undefined;
  }),
  noVariables,
  /** A repository, in which issues are opened with the worker's token. */
  repository: unlessAbsent((_value, _beside, { allow, github }) => {
    const url = plainUrl(github);
    if (url !== undefined && allowsHost(allow, url)) return undefined;
    return { what: 'have an issue opened with the GITHUB_TOKEN of the worker', flag: `hosts=${url?.host ?? 'HOST'}` };
  }),
  toolPackage: (value, beside, policy) => {
    if (typeof value !== 'string') return notPlain('a package');
    if (readers.includes(value)) return ownFolder('.', beside, policy);
    if (value === 'builtin.command.local') return commandMode('local', beside, policy);
    return value.startsWith('builtin.') || policy.allow.modules ? undefined : moduleOfItsOwn;
  },
};
