import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { indexOfFolder } from '../../tools/folder-index.ts';
import { ownDocs } from '../../tools/own-docs.ts';
import type { SentenceIndex } from '../../tools/sentence-search.ts';
import { failureTypes } from '../failures.ts';

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
    index: () => indexOfFolder(folder),
  };
}
