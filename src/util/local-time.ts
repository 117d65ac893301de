/** A time as `2026-01-18 17:09:44`, as clocks of this machine show it. */
export function timestamp(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** The same, without its day where that is today's. */
export function briefTimestamp(time: Date, now = new Date()): string {
  const text = timestamp(time);
  return text.slice(0, 10) === timestamp(now).slice(0, 10) ? text.slice(11) : text;
}
