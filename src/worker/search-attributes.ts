import { Runtime, type NativeConnection } from '@temporalio/worker';
import type { KnownNamespace } from '../activities/prepare.ts';
import { grpc, hasCode } from './deployment.ts';
import { questionAttribute, searchAttributes } from '../workflows/runtime/attributes.ts';

/** The types in use, each at the place of its number in `temporal.api.enums.v1.IndexedValueType`. */
const types = ['', 'Text', 'Keyword', 'Int'];

const placeOf = (type: string): number => types.findIndex((name) => name.toUpperCase() === type);

/** The server lacks search attributes. A run that sets one of them fails its workflow task again and again. */
export class MissingSearchAttributesError extends Error {
  override name = 'MissingSearchAttributesError';
}

/**
 * Registers the search attributes that the namespace lacks. `RepriseQuestion` alone may be missing, with a warning, since a
 * namespace has room for few of its type.
 *
 * @throws `MissingSearchAttributesError` where another one may not be registered from here
 */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<KnownNamespace> {
  await register(connection, namespace, searchAttributes);
  try {
    await register(connection, namespace, [questionAttribute]);
    return { hasQuestion: true };
  } catch (error) {
    if (!(error instanceof MissingSearchAttributesError)) throw error;
    Runtime.instance().logger.warn(`Runs cannot be found by their questions. ${error.message}`);
    return { hasQuestion: false };
  }
}

async function register(
  connection: NativeConnection,
  namespace: string,
  attributes: Array<{ name: string; type: string }>,
): Promise<void> {
  const isKnown = await Promise.all(attributes.map(({ name }) => isSearchable(connection, namespace, name)));
  const missing = attributes.filter((_, index) => !isKnown[index]);
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, placeOf(type)])),
    });
  } catch (error) {
    // Another worker has added it meanwhile.
    if (hasCode(error, grpc.alreadyExists)) return;
    const commands = missing.map((attribute) => `  ${creation(namespace, attribute)}`);
    throw new MissingSearchAttributesError(
      `The namespace "${namespace}" lacks search attributes, and they may not be added from here ` +
        `(${error instanceof Error ? error.message : String(error)}). Have someone run:\n${commands.join('\n')}`,
    );
  }
}

/** The command that adds an attribute. In Temporal Cloud, whose namespaces are called NAME.ACCOUNT, it is of another group. */
export function creation(namespace: string, { name, type }: { name: string; type: string }): string {
  const group = namespace.includes('.') ? 'cloud namespace' : 'operator';
  return `temporal ${group} search-attribute create --namespace ${namespace} --name ${name} --type ${types[placeOf(type)]}`;
}

/** Whether an attribute exists, by a search, which is allowed even where listing attributes is not, as in Temporal Cloud. */
async function isSearchable(connection: NativeConnection, namespace: string, name: string): Promise<boolean> {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    return true;
  } catch (error) {
    if (hasCode(error, grpc.invalidArgument)) return false;
    throw error;
  }
}
