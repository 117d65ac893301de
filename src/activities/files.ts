import { Context } from '@temporalio/activity';
import type { Environment } from '../util/environment.ts';
import { maxFiles } from '../util/file-limits.ts';
import { attachmentNames, loadAttachment, tooMany } from '../tools/attachments/load.ts';
import type { Transcribe } from '../tools/attachments/audio.ts';
import { attachmentOf, keepFile, membersOf } from '../tools/attachments/run-files.ts';
import { transcriber } from '../models/transcription.ts';
import type { Attachment, AttachmentInput, StoreAttachmentsInput } from '../protocol/attachment.ts';
import type { RunFile, Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { invalid } from './prepare.ts';

interface Dependencies {
  store: Store;
  configFolder: string;
  environment?: Environment;
}

/**
 * Reads and stores the files that come with a problem; those of an earlier run under the same workflow id are
 * forgotten, and those that an earlier attempt has stored are kept. The result has the files of archives too, as long
 * as all together are no more than a run takes.
 * @throws `ApplicationFailure` of type `InvalidInput`, not retryable, which names every file that cannot be read, and
 *   why
 */
export function createStoreAttachments({ store, configFolder, environment = {} }: Dependencies) {
  return async function storeAttachments({ attachments, backend }: StoreAttachmentsInput): Promise<Attachment[]> {
    const transcribe = transcriber(environment, backend);
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const many = tooMany(attachments);
    if (many !== undefined) throw invalid([many]);
    await store.beginFiles(workflowId, runId);
    return cancellable(async (signal) => {
      const kept: RunFile[] = [];
      const problems: string[] = [];
      for (const [index, name] of attachmentNames(attachments).entries()) {
        signal.throwIfAborted();
        const file =
          (await store.file(workflowId, name)) ??
          (await load(workflowId, name, attachments[index] ?? name, transcribe));
        if (typeof file === 'string') problems.push(file);
        else kept.push(file);
      }
      if (problems.length > 0) throw invalid(problems);
      const given: Attachment[] = [];
      for (const file of await withMembers(workflowId, kept)) given.push(await attachmentOf(store, file));
      return given;
    });
  };

  async function load(workflowId: string, name: string, input: AttachmentInput, transcribe: Transcribe) {
    const loaded = await loadAttachment(input, configFolder);
    if (typeof loaded === 'string') return loaded;
    return keepFile(store, workflowId, { ...loaded, name, from: 'attachment', transcribe });
  }

  async function withMembers(workflowId: string, files: RunFile[]): Promise<RunFile[]> {
    const all: RunFile[] = [];
    let left = maxFiles - files.length;
    for (const file of files) {
      const members = await membersOf(store, workflowId, file);
      all.push(file, ...(members.length <= left ? members : []));
      if (members.length <= left) left -= members.length;
    }
    return all;
  }
}
