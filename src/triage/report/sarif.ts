import type { JsonObject } from '../../model/index.js';
import type { Report } from './report.js';

const LEVEL = { P0: 'error', P1: 'error', P2: 'warning', P3: 'note' } as const;

/** The causes as SARIF 2.1.0, for what shows findings beside code. */
export function toSarif(report: Report, version: string): JsonObject {
  const rules = [...new Set(report.causes.map(({ rule }) => rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'argosy triage', version, rules: rules.map((id) => ({ id })) } },
      results: report.causes.map((cause) => ({
        ruleId: cause.rule,
        level: LEVEL[cause.severity],
        message: { text: `${cause.name}: ${cause.title}${cause.fix === undefined ? '' : ` Fix: ${cause.fix.say}`}` },
        partialFingerprints: { 'argosy/v1': cause.id },
        locations: cause.objects.slice(0, 20).map((key) => ({ logicalLocations: [{ kind: 'resource', fullyQualifiedName: [key.group, key.kind, key.namespace, key.name].join('/') + (cause.field === '' ? '' : `#${cause.field}`) }] })),
      })),
    }],
  };
}
