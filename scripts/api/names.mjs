import { readFileSync } from 'node:fs';

const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The name by which users import a module, by the path of its source. */
const names = new Map(Object.entries(exports).map(([path, entry]) => [entry['reprise-source'], name + path.slice(1)]));

/** A plugin of TypeDoc that names modules as users import them, rather than by their files. */
export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) module.name = names.get(`./src/${module.name}.ts`) ?? module.name;
  });
}
