import { Context } from '@temporalio/activity';
import { attachmentNames, loadAttachment, tooMany } from '../files/load.ts';
import { attachmentOf, keepFile } from '../files/run-files.ts';
import type { Attachment, AttachmentInput } from '../protocol/attachment.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { invalid } from './prepare.ts';

export interface StoreAttachmentsInput {
  attachments: AttachmentInput[];
}

/**
 * The activity `storeAttachments`: reads the files that come with a problem, and gives them to the workflow that it
 * runs for. It begins the run's files: whatever an earlier run under the same workflow id had is forgotten.
 * A retry takes what an earlier try has stored already, whatever became of the file since.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, with every file that cannot be taken, and why
 */
export function createStoreAttachments({ store, configFolder }: { store: Store; configFolder: string }) {
  return async function storeAttachments({ attachments }: StoreAttachmentsInput): Promise<Attachment[]> {
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const many = tooMany(attachments);
    if (many !== undefined) throw invalid([many]);
    await store.beginFiles(workflowId, runId);
    return cancellable(async (signal) => {
      const kept: Attachment[] = [];
      const problems: string[] = [];
      for (const [index, name] of attachmentNames(attachments).entries()) {
        signal.throwIfAborted();
        const file =
          (await store.file(workflowId, name)) ?? (await taken(workflowId, name, attachments[index] ?? name));
        if (typeof file === 'string') problems.push(file);
        else kept.push(await attachmentOf(store, file));
      }
      if (problems.length > 0) throw invalid(problems);
      return kept;
    });
  };

  async function taken(workflowId: string, name: string, input: AttachmentInput) {
    const loaded = await loadAttachment(input, configFolder);
    return typeof loaded === 'string' ? loaded : keepFile(store, workflowId, { ...loaded, name, from: 'attachment' });
  }
}
