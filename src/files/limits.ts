/** Sizes in bytes. */
export const maxFileBytes = 20_000_000;

/** Providers take no larger ones. */
export const maxImageBytes = 5_000_000;

/** Attachments of one run. */
export const maxFiles = 20;

/** `12,345` */
export const grouped = (count: number): string => count.toLocaleString('en-US');
