import { schemaText } from '../../config/json-schema.ts';
import type { Kind } from '../../config/kinds.ts';
import { print } from '../exit.ts';

/** `reprise schema [KIND]`: prints the JSON schema of one kind of configuration, or of all of them. */
export const schema = (kind: Kind | 'config' = 'config'): Promise<void> => print(schemaText(kind));
