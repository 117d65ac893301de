/** By what a text in progress comes to its readers. */
export type Carrier = 'heartbeats' | 'whole heartbeats' | 'sqlite' | 'postgres' | 'notify';

/** A text of 30,000 characters, which then grows by so many pieces, one after so many milliseconds. */
export const head = 'It was written before. '.repeat(1304);
export const pace = 20;
export const pieces = 400;
export const pieceOf = (number: number): string => ` ${String(number).padStart(7, '0')}`;
