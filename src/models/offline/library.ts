import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { SentenceIndex } from '../../tools/sentence-search.ts';
import { textFiles } from '../../tools/text-files.ts';
import { failureTypes } from '../failures.ts';

/** Reprise's own documentation: beside `src/` in a clone, beside `dist/` in the package. */
const ownDocs = fileURLToPath(new URL('../../../docs', import.meta.url));

/** How long an index serves before the folder is looked at again. */
const freshMs = 5000;

const indexes = new Map<string, { index: SentenceIndex; madeAt: number }>();

/** The texts of a folder that the offline model answers from. */
export interface Library {
  /** How answers call it. */
  name: string;
  index(): SentenceIndex;
}

/** @throws `ApplicationFailure` of type `FolderMissing`, not retryable */
export function openLibrary(folder = ownDocs): Library {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw ApplicationFailure.nonRetryable(
      `offline: there is no folder ${folder} (key "folder" of the backend)`,
      failureTypes.folderMissing,
    );
  }
  return {
    name: folder === ownDocs ? 'the documentation of Reprise' : `the folder "${basename(folder)}"`,
    index: () => indexOf(folder),
  };
}

function indexOf(folder: string): SentenceIndex {
  const known = indexes.get(folder);
  if (known !== undefined && Date.now() - known.madeAt < freshMs) return known.index;
  const index = new SentenceIndex(textFiles(folder));
  indexes.set(folder, { index, madeAt: Date.now() });
  return index;
}
