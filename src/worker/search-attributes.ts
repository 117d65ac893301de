import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/attributes.ts';

/** Temporal's numbers for the types that we use (`temporal.api.enums.v1.IndexedValueType`). */
const indexedValueTypes: Record<string, number> = { KEYWORD: 2, INT: 3 };

/** An attribute that a run sets but the server does not know fails its workflow task again and again. */
export class MissingSearchAttributes extends Error {
  override name = 'MissingSearchAttributes';
}

/**
 * Registers the search attributes that the namespace lacks.
 *
 * @throws `MissingSearchAttributes` where that is not allowed, with the commands for someone who may
 */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { operatorService } = connection;
  const known = await operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => known.customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  const types = missing.map(({ name, type }) => [name, indexedValueTypes[type] ?? 0] as const);
  try {
    await operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(types) });
  } catch (error) {
    if (isAlreadyThere(error)) return;
    const commands = missing.map(({ name, type }) => {
      const named = type === 'INT' ? 'Int' : 'Keyword';
      return `  temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${named}`;
    });
    throw new MissingSearchAttributes(
      `The namespace "${namespace}" lacks search attributes, and they may not be added from here ` +
        `(${error instanceof Error ? error.message : String(error)}). Have someone run:\n${commands.join('\n')}`,
    );
  }
}

/** Another worker may have been quicker (gRPC status 6, ALREADY_EXISTS). */
const isAlreadyThere = (error: unknown): boolean => (error as { code?: number }).code === 6;
