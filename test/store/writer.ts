/** Commits a chain of replies: `node writer.ts FILE NAME COUNT`. Prints a line after each. */
import { openSqliteStore } from '../../src/store/sqlite.ts';

const [file = '', name = '', count = '0'] = process.argv.slice(2);
const store = openSqliteStore(file);
let parent: string | null = null;
for (let index = 0; index < Number(count); index++) {
  const { transcript } = await store.commitReply({
    key: `${name}/${index}`,
    inputHash: 'h',
    parent,
    messages: [
      { role: 'user', content: `${name} asks ${index}` },
      { role: 'assistant', content: `${name} answers ${index}` },
    ],
    result: {
      reply: { content: '', calls: [], finish: 'stop' },
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    },
  });
  parent = transcript.id;
  console.log(index);
}
await store.close();
