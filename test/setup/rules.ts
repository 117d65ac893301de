import { subscribe } from 'node:diagnostics_channel';

// A rule needs neither a server nor a process, by which it would belong to a dearer tier. Node tells of each process.
subscribe('child_process', () => {
  throw new Error('A test of the tier `rules` has started a process: name its file *.process.test.ts');
});
