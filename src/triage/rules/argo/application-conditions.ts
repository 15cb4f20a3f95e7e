import { objectsAt } from '../../../model/json/index.js';
import type { Finding, TriageCode } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { entryOf, textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { COMPARISONS } from './comparison-errors.js';
import { matchRules } from './message-rules.js';
import { settingsOf } from './settings.js';

/** Warning conditions that do not fail a sync. */
const WARNINGS: Readonly<
  Record<
    string,
    { readonly rule: TriageCode; readonly impact: 'drift' | 'note'; readonly field: string; readonly fix: string }
  >
> = {
  SharedResourceWarning: {
    rule: 'A19',
    impact: 'note',
    field: 'status.conditions',
    fix: 'keep the resource in one application only',
  },
  RepeatedResourceWarning: {
    rule: 'A20',
    impact: 'drift',
    field: 'spec.source.path',
    fix: 'remove the duplicate manifest',
  },
  ExcludedResourceWarning: {
    rule: 'A21',
    impact: 'drift',
    field: "data['resource.exclusions']",
    fix:
      'use a BuildConfig, start the pipeline from an EventListener, or remove the kind from ' + 'resource.exclusions',
  },
  OrphanedResourceWarning: {
    rule: 'A22',
    impact: 'note',
    field: 'status.conditions',
    fix: 'delete the orphaned resources',
  },
};

export function fromCondition(app: Node, graph: Graph, type: string, message: string): Finding[] {
  const evidence = [fact(app, `status.conditions[${type}]`, message)];
  const warning = entryOf(WARNINGS, type);
  if (warning !== undefined)
    return [
      leaf(warning.rule, app, 'reconcile', `${nodeText(app)}: ${message}`, {
        impact: type === 'SharedResourceWarning' && isOfTheCluster(app, message) ? 'drift' : warning.impact,
        evidence,
        field: warning.field,
        fix: change(app, graph, warning.fix, { risk: 'none' }),
        ...(type === 'ExcludedResourceWarning'
          ? { signature: 'exclusions', blamed: settingsOf(graph, app.key.namespace) }
          : {}),
      }),
    ];
  const input = { app, graph, message, evidence };
  if (type === 'ComparisonError' || type === 'InvalidSpecError' || type === 'UnknownError') {
    if (
      /Manifest generation error \(cached\)/.test(message) &&
      matchRules(COMPARISONS.slice(0, -1), input) === undefined
    )
      return [
        delegate('A05', app, 'render', `cached manifest generation error of ${nodeText(app)}: ${message}`, {
          evidence,
        }),
      ];
    return [
      matchRules(COMPARISONS, input) ??
        leaf('A07', app, 'render', `comparison of ${nodeText(app)} fails: ${message}`, {
          evidence,
          field: 'spec.source',
          suspect: true,
          fix: change(app, graph, 'resolve the error in the message', { risk: 'none' }),
        }),
    ];
  }
  return type === 'DeletionError'
    ? [delegate('A45', app, 'reconcile', `${nodeText(app)} cannot be deleted: ${message}`, { evidence })]
    : [];
}

/** A thing of the whole cluster that two applications install is more than a note: everybody uses it. */
function isOfTheCluster(app: Node, message: string): boolean {
  const [, kind, name] = /^(\w+)\/(\S+) is part of/.exec(message) ?? [];
  return objectsAt(app.object, 'status', 'resources').some(
    (resource) =>
      textAt(resource, 'kind') === kind &&
      textAt(resource, 'name') === name &&
      textAt(resource, 'namespace') === '' &&
      kind !== 'Namespace',
  );
}
