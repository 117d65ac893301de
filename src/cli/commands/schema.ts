import { schemaText } from '../../config/json-schema.ts';
import type { Kind } from '../../config/kinds.ts';
import type { Shell } from '../shell.ts';

export const schema = (shell: Shell, kind: Kind | 'config' = 'config'): Promise<void> => shell.print(schemaText(kind));
