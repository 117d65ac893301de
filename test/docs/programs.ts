import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The programs that the documentation's commands call, as they are in a clone, without what `npx` and `npm` do before they start them. */
export const programs = (temporal: string): Record<string, string> => ({
  reprise: `#!/bin/sh\nexec node '${join(root, 'src/cli/main.ts')}' "$@"\n`,
  node: `#!/bin/sh\nexec '${process.execPath}' --conditions=reprise-source "$@"\n`,
  temporal: `#!/bin/sh\nexec '${temporal}' "$@"\n`,
  npx: '#!/bin/sh\n[ "$1" = reprise ] || { echo "npx $1: only reprise is run by the tests"; exit 127; }\nexec "$@"\n',
  npm: [
    '#!/bin/sh',
    'case "$1 $2" in',
    '"run example") file=$3; shift 3; [ "$1" = -- ] && shift',
    '  exec node "$file" "$@";;',
    '"run simulate") shift 2; [ "$1" = -- ] && shift',
    `  exec node '${join(root, 'scripts/scaling.ts')}' "$@";;`,
    '"start "*) shift; [ "$1" = -- ] && shift; exec reprise start "$@";;',
    '*) echo "npm $*: the tests run only npm start, npm run example and npm run simulate"; exit 127;;',
    'esac',
    '',
  ].join('\n'),
  // What a notification starts, instead of reaching anybody.
  'notify-send': '#!/bin/sh\necho "notify-send $*"\n',
  // Of servers only those of this machine are asked, without the progress that a terminal does not get either.
  curl: '#!/bin/sh\ncase "$*" in *http://127.0.0.1:*) PATH=${PATH#*:} exec curl -sS "$@";; esac\necho "curl $*"\n',
});
