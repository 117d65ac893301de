import { stopUp } from '../../embedded/background.ts';
import { say } from '../exit.ts';
import { homeFolder } from '../options.ts';

/** `reprise down`: ends this folder's `up`. Runs that are open go on with the next one. */
export async function down(): Promise<void> {
  const home = homeFolder();
  say(
    (await stopUp(home))
      ? 'Reprise is down; open runs go on when it is up again'
      : `Nothing is up in ${home}`,
  );
}
