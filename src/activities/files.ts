import { Context } from '@temporalio/activity';
import { attachmentNames, loadAttachment, tooMany } from '../files/load.ts';
import { attachmentOf, keepFile } from '../files/run-files.ts';
import type { Attachment, AttachmentInput } from '../protocol/attachment.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { invalid } from './prepare.ts';

/**
 * The activity `storeAttachments` reads the files that come with a problem, and stores them for its workflow. Files that
 * an earlier run under the same workflow id had are forgotten. A retry keeps the files that an earlier attempt has
 * stored, even if they have changed since.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, which names every file that cannot be read, and why
 */
export function createStoreAttachments({ store, configFolder }: { store: Store; configFolder: string }) {
  return async function storeAttachments(input: { attachments: AttachmentInput[] }): Promise<Attachment[]> {
    const { attachments } = input;
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const many = tooMany(attachments);
    if (many !== undefined) throw invalid([many]);
    await store.beginFiles(workflowId, runId);
    return cancellable(async (signal) => {
      const kept: Attachment[] = [];
      const problems: string[] = [];
      for (const [index, name] of attachmentNames(attachments).entries()) {
        signal.throwIfAborted();
        const file = (await store.file(workflowId, name)) ?? (await load(workflowId, name, attachments[index] ?? name));
        if (typeof file === 'string') problems.push(file);
        else kept.push(await attachmentOf(store, file));
      }
      if (problems.length > 0) throw invalid(problems);
      return kept;
    });
  };

  /** @returns the stored file, or why it cannot be read */
  async function load(workflowId: string, name: string, input: AttachmentInput) {
    const loaded = await loadAttachment(input, configFolder);
    return typeof loaded === 'string' ? loaded : keepFile(store, workflowId, { ...loaded, name, from: 'attachment' });
  }
}
