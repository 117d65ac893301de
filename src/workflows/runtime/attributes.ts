import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Number of the iteration under way: a team's attempt, a planning iteration or a round. */
export const attemptAttribute = defineSearchAttributeKey('RepriseAttempt', SearchAttributeType.INT);

/** The run's outcome; absent while it runs. */
export const outcomeAttribute = defineSearchAttributeKey('RepriseOutcome', SearchAttributeType.KEYWORD);

/** `human` while the run waits for a person, else absent. */
export const waitingAttribute = defineSearchAttributeKey('RepriseWaiting', SearchAttributeType.KEYWORD);

/**
 * The beginning of what the run was asked. It is set only where the namespace has it (`Prepared.hasQuestion`), which may have
 * no room for it: an attribute that is not registered would hold runs up.
 */
export const questionAttribute = defineSearchAttributeKey('RepriseQuestion', SearchAttributeType.TEXT);

/** The search attributes that every run sets. The worker registers those that its namespace lacks. */
export const searchAttributes = [attemptAttribute, outcomeAttribute, waitingAttribute];
