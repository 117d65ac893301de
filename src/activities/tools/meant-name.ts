const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** As providers' prompts name the place where tools are. */
const places = /^(?:functions?|tools?|default_api|api|mcp)[._:/]+/i;

/** `functions.view_file`, `viewFile`, `view_file:0` and `files/view_file` mean `view_file`, if no other is alike. */
export function meantName(name: string, names: string[]): string | undefined {
  const whole = name.replace(/[:#]\d+$/, '');
  const ways = [whole, whole.replace(places, ''), whole.split(/[.:/]|__/).at(-1) ?? ''].map(plain);
  for (const way of ways.filter((each) => each !== '')) {
    const [one, ...others] = names.filter((each) => plain(each) === way);
    if (one !== undefined) return others.length === 0 ? one : undefined;
  }
  return undefined;
}
