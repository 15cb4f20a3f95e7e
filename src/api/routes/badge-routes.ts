import type { KubeObject } from '../../model/kubernetes/index.js';
import { projectOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { healthOf, syncOf } from '../applications/index.js';
import type { Answer } from '../http/index.js';
import { route, type Route, flag, list, text } from '../route/index.js';

const COLOURS: Readonly<Record<string, string>> = {
  Healthy: '#0b612a',
  Synced: '#0b612a',
  Degraded: '#a72e26',
  OutOfSync: '#bd7300',
  Progressing: '#103d66',
  Suspended: '#29343d',
  Missing: '#731f4d',
  Unknown: '#731f4d',
};
const LETTER_WIDTH = 6.6;
const SHORT_REVISION_LENGTH = 7;

interface Part {
  readonly words: string;
  readonly colour: string;
}

/** Two or three coloured fields beside each other, wide enough for their words. */
function badge(parts: readonly Part[]): string {
  const widths = parts.map(({ words }) => Math.round(words.length * LETTER_WIDTH + 16));
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width, 0));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const fields = parts.map(
    ({ words, colour }, index) =>
      `<rect x="${starts[index] ?? 0}" width="${widths[index] ?? 0}" height="20" fill="${colour}"/><text ` +
      `x="${(starts[index] ?? 0) + (widths[index] ?? 0) / 2}" y="14">${escaped(words)}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${total}" height="20" role="img" ` +
    `aria-label="${escaped(parts.map(({ words }) => words).join(', '))}"><g font-family="Verdana,DejaVu ` +
    `Sans,sans-serif" font-size="11" fill="#fff" text-anchor="middle">${fields.join('')}</g></svg>`
  );
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function worst(words: readonly string[], order: readonly string[]): string {
  return order.find((word) => words.includes(word)) ?? 'Unknown';
}

function partsFor(applications: readonly KubeObject[], revision: string): Part[] {
  const health = worst(applications.map(healthOf), [
    'Degraded',
    'Missing',
    'Unknown',
    'Progressing',
    'Suspended',
    'Healthy',
  ]);
  const sync = worst(applications.map(syncOf), ['OutOfSync', 'Unknown', 'Synced']);
  const part = (words: string): Part => ({ words, colour: COLOURS[words] ?? '#731f4d' });
  return [
    part(health),
    part(sync),
    ...(revision === '' ? [] : [{ words: `(${revision.slice(0, SHORT_REVISION_LENGTH)})`, colour: '#29343d' }]),
  ];
}

export const BADGE_ROUTES: readonly Route[] = [
  route('GET', '/api/badge', {
    summary: 'Status badge of an application or of projects, if statusbadge.enabled is true.',
    tag: 'server',
    access: 'anonymous',
    query: { name: text(), namespace: text(), project: list(text()), revision: flag(), showAppName: flag() },
    handle: ({ services, query: { name = '', namespace = '', project = [], revision, showAppName } }): Answer => {
      const isEnabled = services.settings.configMapData('argocd-cm').get('statusbadge.enabled') === 'true';
      const one =
        isEnabled && name !== ''
          ? services.applications.find(namespace === '' ? services.namespace : namespace, name)
          : undefined;
      const ofProjects =
        isEnabled && project.length > 0
          ? services.applications.list().filter((application) => project.includes(projectOf(application)))
          : [];
      const found = one === undefined ? ofProjects : [one];
      const shortRevision =
        revision === true && one !== undefined
          ? textAt(one, 'status', 'operationState', 'syncResult', 'revision') ||
            textAt(one, 'status', 'sync', 'revision')
          : '';
      // The same answer where badges are off and where nothing is found.
      const parts = found.length === 0 ? [{ words: 'Unknown', colour: '#731f4d' }] : partsFor(found, shortRevision);
      return {
        kind: 'bytes',
        bytes: badge([
          ...(showAppName === true && one !== undefined ? [{ words: name, colour: '#29343d' }] : []),
          ...parts,
        ]),
        type: 'image/svg+xml',
        headers: { 'cache-control': 'private, no-store' },
      };
    },
  }),
];
