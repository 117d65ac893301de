import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import { fileTools, type Attachment, type AttachmentInput } from '../../protocol/attachment.ts';
import { headings } from '../../protocol/headings.ts';
import type { Content, UserMessage } from '../../protocol/message.ts';
import type { EarlierMessage, Prepared } from '../../protocol/orchestration.ts';
import type { Backend, ToolSources } from '../../protocol/settings.ts';
import type { EventLog } from '../runtime/event-log.ts';
import { inStore } from '../runtime/own-store.ts';
import { joinContent } from './text.ts';

const { storeAttachments } = proxyActivities<Activities>({
  summary: 'attachments',
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

/** Stores the files that come with a run, and tells of each. @param agents of whom the first one transcribes recordings */
export async function openAttachments(
  given: AttachmentInput[] = [],
  agents: Array<{ backend: Backend; tools: ToolSources }>,
  { attachmentsSeal: seal }: Prepared,
  { emit }: EventLog,
): Promise<Attachment[]> {
  // This is needed without attachments too: a run under the id of an earlier one must not see the earlier one's files.
  if (!agents.some(({ tools }) => tools.packages.includes(fileTools))) return [];
  const attachments = await storeAttachments({
    attachments: given,
    ...(agents[0] && { backend: agents[0].backend }),
    ...(seal !== undefined && { seal }),
  });
  for (const { bytes, kind, name, note } of attachments)
    emit({ type: 'attachment', name, kind, bytes, ...(note !== undefined && { note }) });
  return attachments;
}

export function attachmentParts(attachments: Attachment[]): Content[] {
  if (attachments.length === 0) return [];
  return [
    headings.attachments,
    ...attachments.flatMap(({ bytes, kind, name, note, preview }) => [
      `\n\n### ${name} (${kind}, ${bytes} bytes)`,
      ...(note === undefined ? [] : [`\n${note}`]),
      ...(preview === '' ? [] : ['\n', preview]),
    ]),
  ];
}

/** Shows agents the attachments before their task. */
export function attachmentMessages(attachments: Attachment[]): Array<UserMessage<Content>> {
  if (attachments.length === 0) return [];
  const images = attachments.flatMap(({ image }) => image ?? []);
  const content = joinContent(attachmentParts(attachments));
  return [{ role: 'user', content, ...(images.length > 0 && { images }) }];
}

/** The same as plain text, for custom orchestrators. */
export const plainAttachments = async (attachments: Attachment[]): Promise<EarlierMessage[]> =>
  attachments.length === 0
    ? []
    : inStore.readMessages(await inStore.putMessages(null, attachmentMessages(attachments)));
