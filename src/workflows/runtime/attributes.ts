import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Number of the attempt under way. */
export const attemptAttribute = defineSearchAttributeKey('RepriseAttempt', SearchAttributeType.INT);

/** How a run ended; absent while it runs. */
export const outcomeAttribute = defineSearchAttributeKey('RepriseOutcome', SearchAttributeType.KEYWORD);

/** `human` while a run waits for a person, else absent. */
export const waitingAttribute = defineSearchAttributeKey('RepriseWaiting', SearchAttributeType.KEYWORD);

/** All search attributes that Reprise sets; the worker registers what is missing. */
export const searchAttributes = [attemptAttribute, outcomeAttribute, waitingAttribute];
