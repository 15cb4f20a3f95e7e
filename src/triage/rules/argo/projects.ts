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

/** The project permits exactly what the application needs. */
export function permitting(input: RuleInput): Fix {
  const project = projectOf(input);
  const source = applicationSources(input.app.object)
    .map((each) => textAt(each.source, 'repoURL'))
    .find((url) => input.message.includes(url));
  const [server, name, namespace] = ['server', 'name', 'namespace'].map((field) =>
    textAt(input.app.object, 'spec', 'destination', field),
  );
  const sourceEdit = source === undefined ? undefined : adding(project, 'spec.sourceRepos', source);
  const edit = /destination/.test(input.message)
    ? adding(project, 'spec.destinations', {
        ...(server === '' ? { name: name ?? '' } : { server: server ?? '' }),
        namespace: namespace ?? '',
      })
    : sourceEdit;
  return change(project, input.graph, 'permit it in the project, or use another project', {
    risk: 'none',
    edits: edit === undefined || project.object === undefined ? [] : [edit],
  });
}

/** The project of most applications with the same destination. */
export function otherProject(input: RuleInput): Fix {
  const place = (app: Node): string => JSON.stringify(valueAt(app.object, 'spec', 'destination') ?? null);
  const counts = new Map<string, number>();
  for (const other of input.graph.applications)
    if (
      other.id !== input.app.id &&
      place(other) === place(input.app) &&
      projectOf({ ...input, app: other }).object !== undefined
    )
      counts.set(
        textAt(other.object, 'spec', 'project'),
        (counts.get(textAt(other.object, 'spec', 'project')) ?? 0) + 1,
      );
  const [usual] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return change(
    input.app,
    input.graph,
    usual === undefined
      ? 'create the project, or use another'
      : `create the project, or use another, such as ${usual[0]} (used by ${usual[1]} applications with the ` +
          'same destination)',
    { risk: 'none', edits: usual === undefined ? [] : [setting(input.app, 'spec.project', usual[0])] },
  );
}
