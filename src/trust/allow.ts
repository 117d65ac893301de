import { resolve } from 'node:path';

/** What inputs from anybody may bring to a worker, as its owner has allowed (`--allow`, `REPRISE_ALLOW`). */
export interface Allow {
  /** Programs: the commands of MCP servers, Claude Code, agents' commands as the user of the worker. */
  commands: boolean;
  /** The user's own modules in the extensions folder, by name or path. */
  modules: boolean;
  /** Hosts of addresses: `name`, `name:port`, or `*` for all. */
  hosts: string[];
  /** Absolute paths of folders whose files inputs may name. */
  files: string[];
}

export class AllowError extends Error {
  override name = 'AllowError';
}

const allowForms = 'commands, modules, hosts=NAME[:PORT],…, files=DIR';

/**
 * @param base the folder from which a relative one counts; that of the process when absent
 * @throws `AllowError` with the word that means nothing, and the valid ones
 */
export function readAllow(words: readonly string[], base = ''): Allow {
  const allow: Allow = { commands: false, modules: false, hosts: [], files: [] };
  for (const word of words) {
    const [, key = word, value] = /^([a-z]+)=(.+)$/s.exec(word) ?? [];
    if (key === 'commands' && value === undefined) allow.commands = true;
    else if (key === 'modules' && value === undefined) allow.modules = true;
    else if (key === 'hosts' && value !== undefined) allow.hosts.push(...value.split(',').map(hostIn));
    else if (key === 'files' && value !== undefined) allow.files.push(resolve(base, value));
    else throw new AllowError(`allow: "${word}" is none of ${allowForms}`);
  }
  return allow;
}

/** The same permissions in one order and spelling, with absolute folders, so that equal ones are equal texts. */
export function allowWords(allow: Allow): string[] {
  const { commands, files, hosts, modules } = allow;
  return [
    ...(commands ? ['commands'] : []),
    ...(modules ? ['modules'] : []),
    ...(hosts.length > 0 ? [`hosts=${[...new Set(hosts)].sort().join(',')}`] : []),
    ...[...new Set(files)].sort().map((folder) => `files=${folder}`),
  ];
}

/** The words of `REPRISE_ALLOW`, which stand apart by spaces. */
export const allowIn = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');

/** A host as addresses have it: in lower case and, where it is an IP address, in its one spelling. */
function hostIn(text: string): string {
  const written = text.trim();
  if (written === '*') return written;
  const url = URL.parse(`http://${written}`);
  const port = /:(\d{1,5})$/.exec(written)?.[1];
  const isHost = url !== null && /^(?:[^\s/?#@\\:[\]]+|\[[^\s/?#@\\]+\])(?::\d{1,5})?$/.test(written);
  if (!isHost) throw new AllowError(`allow: "${written}" is no host; an example: hosts=llm.example,127.0.0.1:8000`);
  return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`;
}

/** Whether an address is at a host that is allowed. One without a port is allowed at every port. */
export function allowsHost({ hosts }: Allow, url: URL): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port;
  return ['*', url.hostname, `${url.hostname}:${port}`].some((each) => hosts.includes(each));
}
