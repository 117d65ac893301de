import { z } from 'zod';
import { searchRefused } from './failures.ts';
import type { Found } from './provider.ts';
import type { Service } from './service.ts';

const answerSchema = z.object({ results: z.array(z.unknown()) });

const entrySchema = z.object({
  title: z.string().min(1),
  url: z.string().regex(/^https?:\/\/\S+$/i),
  content: z.string().nullish(),
});

/**
 * The results of an answer in their order; entries without a title or a web address are left out.
 *
 * @throws `ApplicationFailure` of type `SearchFailed`, not retryable, where the answer has no list of results
 */
export function resultsIn(answer: unknown, { provider, addressVariable }: Service): Found[] {
  const checked = answerSchema.safeParse(answer);
  if (!checked.success) {
    throw searchRefused(`${provider} answered without a list of results; check ${addressVariable}`);
  }
  return checked.data.results.flatMap((entry) => {
    const { success, data } = entrySchema.safeParse(entry);
    return success ? [{ title: data.title, url: data.url, text: data.content ?? '' }] : [];
  });
}
