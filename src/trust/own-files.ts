import { join } from 'node:path';
import { parse } from 'yaml';
import { configsIn, configText } from '../config/read-config.ts';
import { kindOf } from '../config/modules.ts';
import { variablesNamedIn } from '../config/variables.ts';
import type { OwnFiles } from './policy.ts';
import type { Backend } from '../protocol/settings.ts';

/** Reads what the configurations in a folder name. Files that cannot be read name nothing. */
export function ownFilesIn(folder: string): OwnFiles {
  const texts = configsIn(folder).flatMap((file) => {
    try {
      return [configText(join(folder, file))];
    } catch {
      return [];
    }
  });
  return { backends: texts.flatMap(backendsNamedIn), variables: texts.flatMap(variablesNamedIn) };
}

function backendsNamedIn(text: string): Backend[] {
  // A lock file beside the configurations takes two seconds to parse.
  if (!/api_key_env|base_url/.test(text)) return [];
  try {
    return backendsIn(parse(text), '');
  } catch {
    return [];
  }
}

/** All mappings that say where a model is. @param type that of a mapping which has none, as a module's */
function backendsIn(value: unknown, type: string): Backend[] {
  if (typeof value !== 'object' || value === null) return [];
  const { api_key_env, base_url, module } = value as Record<string, unknown>;
  const ownType = (value as Record<string, unknown>)['type'] ?? type;
  const isBackend = typeof ownType === 'string' && (api_key_env !== undefined || base_url !== undefined);
  const below = (typeof module === 'string' && kindOf(module)?.type) || '';
  return [
    ...(isBackend ? [{ ...value, type: ownType } as Backend] : []),
    ...Object.values(value).flatMap((part) => backendsIn(part, below)),
  ];
}
