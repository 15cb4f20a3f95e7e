import type { JsonObject } from '../../model/json/index.js';
import { TRIAGE_CODES, isTriageCode, pageOf } from '../findings/index.js';
import { plainText } from './plain-text.js';
import type { Report } from './report.js';

const LEVEL = { P0: 'error', P1: 'error', P2: 'warning', P3: 'note' } as const;

/** The causes as SARIF 2.1.0, for code scanning tools. */
export function toSarif(report: Report, version: string): JsonObject {
  const rules = [...new Set(report.causes.map(({ rule }) => rule))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        invocations: [
          {
            executionSuccessful: report.isPartial !== true,
            toolExecutionNotifications: report.problems.map((text) => ({
              level: report.isPartial === true ? 'warning' : 'note',
              message: { text },
            })),
          },
        ],
        tool: { driver: { name: 'argosy triage', version, rules: rules.map(ruleOf) } },
        results: report.causes.map((cause) => ({
          ruleId: cause.rule,
          level: LEVEL[cause.severity],
          message: {
            text:
              `${cause.name}: ` +
              `${cause.title}${cause.fix === undefined ? '' : `. Fix: ${plainText(cause.fix.say, 1_000)}`}`,
          },
          partialFingerprints: { 'argosy/v1': cause.id },
          locations: cause.objects.slice(0, 20).map((key) => ({
            logicalLocations: [
              {
                kind: 'resource',
                fullyQualifiedName: plainText(
                  [key.group, key.kind, key.namespace, key.name].join('/') +
                    (cause.field === '' ? '' : `#${cause.field}`),
                  1_000,
                ),
              },
            ],
          })),
        })),
      },
    ],
  };
}

/** What the registry says about a code; an earlier report may have one that is no longer known. */
function ruleOf(id: string): JsonObject {
  if (!isTriageCode(id)) return { id };
  const { title, severity } = TRIAGE_CODES[id];
  return {
    id,
    shortDescription: { text: title },
    help: { text: `See ${pageOf(id)}` },
    defaultConfiguration: { level: LEVEL[severity] },
  };
}
