import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Number of the iteration under way: a team's attempt, a planning iteration or a round. */
export const attemptAttribute = defineSearchAttributeKey('RepriseAttempt', SearchAttributeType.INT);

/** The run's outcome; absent while it runs. */
export const outcomeAttribute = defineSearchAttributeKey('RepriseOutcome', SearchAttributeType.KEYWORD);

/** `human` while the run waits for a person, else absent. */
export const waitingAttribute = defineSearchAttributeKey('RepriseWaiting', SearchAttributeType.KEYWORD);

/** All search attributes that Reprise sets. The worker registers those that its namespace lacks. */
export const searchAttributes = [attemptAttribute, outcomeAttribute, waitingAttribute];
