import { z } from 'zod';

/** Ten years: no run is meant to wait longer, and Temporal takes no timer of several hundred. */
const longest = 10 * 365 * 24 * 60 * 60;

/** A waiting time in seconds, fractions allowed: more than 0, ten years at the most. */
export const waitingTime = z.number().positive().max(longest);

/** The same with a default. */
export const seconds = (initial: number) => waitingTime.default(initial);

/** Longest run of one call of a tool, in seconds: more than 0, a day at the most. */
export const toolTime = z
  .number()
  .positive()
  .max(24 * 60 * 60);
