import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportsHandleText, type CustomOrchestrators } from '../config/extensions.ts';

export interface OrchestratorDependencies {
  /** The extensions folder. */
  configFolder: string;
  orchestrators: CustomOrchestrators;
}

/**
 * Says why a worker does not run a custom orchestrator, and which ones it does run. A run that needs the orchestrator
 * fails with this message.
 *
 * @param file the orchestrator's path in the extensions folder, as in `./mine.ts`
 */
export function whyNotRun(file: string, { configFolder, orchestrators }: OrchestratorDependencies): string {
  const { names, leftOut } = orchestrators;
  const known = names.length === 0 ? 'none' : names.join(', ');
  return `${file} ${whyNot(file, configFolder, leftOut)}. Custom orchestrators of this worker: ${known}`;
}

function whyNot(file: string, folder: string, leftOut: CustomOrchestrators['leftOut']): string {
  const reason = leftOut[file];
  if (reason !== undefined) return `was left out when this worker started: ${reason}`;
  const path = join(folder, file);
  if (!existsSync(path)) return `is not there: the worker has no file ${path}`;
  if (!exportsHandleText(readFileSync(path, 'utf8'))) return 'exports no function handleText';
  return 'was added or changed after this worker started, which is to be started again, or is not where its ReprisePlugin looks (configFolder)';
}
