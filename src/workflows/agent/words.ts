/** Whether a text says anything: signs alone do not. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
