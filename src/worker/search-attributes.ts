import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/runtime/attributes.ts';

/** Temporal's numbers and names of the types in use (`temporal.api.enums.v1.IndexedValueType`). */
const indexedValueTypes: Record<string, { number: number; name: string }> = {
  KEYWORD: { number: 2, name: 'Keyword' },
  INT: { number: 3, name: 'Int' },
};

/** The server lacks search attributes. A run that sets one of them fails its workflow task again and again. */
export class MissingSearchAttributesError extends Error {
  override name = 'MissingSearchAttributesError';
}

/**
 * Registers the search attributes that the namespace lacks.
 *
 * @throws `MissingSearchAttributesError` where that is not allowed, with the commands for somebody who may
 */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const isKnown = await Promise.all(searchAttributes.map(({ name }) => isSearchable(connection, namespace, name)));
  const missing = searchAttributes.filter((_, index) => !isKnown[index]);
  if (missing.length === 0) return;
  const types = missing.map(({ name, type }) => [name, indexedValueTypes[type]?.number ?? 0] as const);
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(types),
    });
  } catch (error) {
    if (codeOf(error) === grpc.alreadyExists) return;
    const commands = missing.map(
      ({ name, type }) =>
        `  temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${indexedValueTypes[type]?.name}`,
    );
    throw new MissingSearchAttributesError(
      `The namespace "${namespace}" lacks search attributes, and they may not be added from here ` +
        `(${error instanceof Error ? error.message : String(error)}). Have someone run:\n${commands.join('\n')}`,
    );
  }
}

/** Whether an attribute exists, by a search, which is allowed even where listing attributes is not, as in Temporal Cloud. */
async function isSearchable(connection: NativeConnection, namespace: string, name: string): Promise<boolean> {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    return true;
  } catch (error) {
    if (codeOf(error) === grpc.invalidArgument) return false;
    throw error;
  }
}

/** gRPC's codes: for a query with an unknown attribute, and for one that another worker has added meanwhile. */
const grpc = { invalidArgument: 3, alreadyExists: 6 };

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;
