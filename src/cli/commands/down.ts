import { stopUp } from '../../local/background.ts';
import { homeFolder } from '../options.ts';
import type { Shell } from '../shell.ts';

/** `reprise down`: ends this folder's `up`. Open runs go on under the next one. */
export async function down(shell: Shell): Promise<void> {
  const home = homeFolder(shell);
  shell.say((await stopUp(home)) ? 'Reprise is down; open runs go on when it is up again' : `Nothing is up in ${home}`);
}
