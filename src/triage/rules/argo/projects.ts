import { valueAt } from '../../../model/json/index.js';
import type { Fix } from '../../findings/index.js';
import { applicationSources, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { adding, change, setting } from '../make-finding.js';
import type { RuleInput } from './message-rules.js';

export function projectOf({ app, graph }: RuleInput): Node {
  return graph.store.refer({
    group: 'argoproj.io',
    kind: 'AppProject',
    namespace: app.key.namespace,
    name: textAt(app.object, 'spec', 'project') || 'default',
  });
}

/** The project permits what the application asks for, and nothing else beside it. */
export function permitting(said: RuleInput): Fix {
  const project = projectOf(said);
  const source = applicationSources(said.app.object)
    .map((each) => textAt(each.source, 'repoURL'))
    .find((url) => said.message.includes(url));
  const [server, name, namespace] = ['server', 'name', 'namespace'].map((field) =>
    textAt(said.app.object, 'spec', 'destination', field),
  );
  const sourceEdit = source === undefined ? undefined : adding(project, 'spec.sourceRepos', source);
  const edit = /destination/.test(said.message)
    ? adding(project, 'spec.destinations', {
        ...(server === '' ? { name: name ?? '' } : { server: server ?? '' }),
        namespace: namespace ?? '',
      })
    : sourceEdit;
  return change(project, said.graph, 'extend the project, or choose another', {
    risk: 'none',
    edits: edit === undefined || project.object === undefined ? [] : [edit],
  });
}

/** The project of most applications with the same destination. */
export function otherProject(said: RuleInput): Fix {
  const place = (app: Node): string => JSON.stringify(valueAt(app.object, 'spec', 'destination') ?? null);
  const counts = new Map<string, number>();
  for (const other of said.graph.applications)
    if (
      other.id !== said.app.id &&
      place(other) === place(said.app) &&
      projectOf({ ...said, app: other }).object !== undefined
    )
      counts.set(
        textAt(other.object, 'spec', 'project'),
        (counts.get(textAt(other.object, 'spec', 'project')) ?? 0) + 1,
      );
  const [usual] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return change(
    said.app,
    said.graph,
    usual === undefined
      ? 'make the project, or choose another'
      : `make the project, or choose another, such as ${usual[0]}, which ${usual[1]} applications with the ` +
          'same destination have',
    { risk: 'none', edits: usual === undefined ? [] : [setting(said.app, 'spec.project', usual[0])] },
  );
}
