/** A length of time: `42 s`, `3 min 20 s`, `30 min`, `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const [whole, unit, rest, part] =
    minutes < 60 ? [minutes, 'min', seconds % 60, 's'] : [Math.floor(minutes / 60), 'h', minutes % 60, 'min'];
  if (minutes === 0) return `${seconds} s`;
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${part}`;
}

/** A time for people who may be anywhere: `2026-11-26 08:15:00 UTC`. */
export const utcText = (at: string): string => at.replace('T', ' ').replace(/\..*$/, ' UTC');
