import { statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { checkConfig, type Config } from '../config/kinds.ts';
import { configsIn, kindOfFile, readNamedConfig } from '../config/read-config.ts';
import { mayStart, type Access } from './access.ts';
import { HttpProblem } from './problems.ts';

/** The name of what is there without a file: the team that the worker has by itself. */
export const defaultName = 'reprise';

export interface NamedConfig {
  name: string;
  kind: Config['kind'];
}

/** The configurations of a folder that a holder of a token may start: what is none, such as a package.json, is left out. */
export function namedConfigs(folder: string, access: Access): NamedConfig[] {
  const found = configsIn(folder).flatMap((file): NamedConfig[] => {
    const kind = kindIn(join(folder, file));
    return kind === undefined ? [] : [{ name: parse(file).name, kind }];
  });
  const named = new Map([{ name: defaultName, kind: 'team' as const }, ...found].map((each) => [each.name, each]));
  return [...named.values()].filter(({ name }) => mayStart(access, name) || access.grant.kind === 'read');
}

/** By path, what files were, as of when: a folder may have large ones, such as a package-lock.json, and clients list often. */
const kinds = new Map<string, { stamp: string; kind: Config['kind'] | undefined }>();

function kindIn(path: string): Config['kind'] | undefined {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
  const stamp = `${mtimeMs} ${size}`;
  const known = kinds.get(path);
  if (known?.stamp === stamp) return known.kind;
  const kind = kindOfFile(path);
  kinds.set(path, { stamp, kind });
  return kind;
}

/** Whether a folder has a file of this name, with or without its ending. */
export const hasConfig = (folder: string, name: string): boolean =>
  configsIn(folder).some((file) => [file, parse(file).name].includes(name));

/** The configuration of a name; undefined for the worker's default one. @throws `HttpProblem`, which names the choices */
export function namedConfig(folder: string, name: string, access: Access): Config | undefined {
  const names = (): string =>
    namedConfigs(folder, access)
      .map((each) => each.name)
      .join(', ');
  if (!mayStart(access, name)) throw new HttpProblem(403, `This token may not start "${name}"; it may: ${names()}`);
  const isFile = hasConfig(folder, name);
  if (!isFile && name === defaultName) return undefined;
  if (!isFile) throw new HttpProblem(404, `There is no configuration "${name}"; there are: ${names()}`);
  const read = readNamedConfig(name, folder, checkConfig);
  // Where the folder is is nobody's business who may only start what is in it.
  if (!read.ok) throw new HttpProblem(422, read.problems.join('\n').replaceAll(join(folder, '/'), ''));
  return read.config;
}
