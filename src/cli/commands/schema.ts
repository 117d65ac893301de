import { schemaText } from '../../config/json-schema.ts';
import type { Kind } from '../../config/kinds.ts';
import type { Shell } from '../shell.ts';

/** `reprise schema [KIND]`: prints the JSON schema of one kind of configuration, or of all of them. */
export const schema = (shell: Shell, kind: Kind | 'config' = 'config'): Promise<void> => shell.print(schemaText(kind));
