import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { renderSource } from '../render-source.js';
import type { RenderRequest } from '../application-source/index.js';
import { treeOf, type TreeShape } from '../testing/index.js';

/** How a render ended. */
export interface Attempt {
  /** `rendered`, `needs`, the code of a fault, or `defect` where something else was thrown. */
  readonly ending: string;
  /** Everything that anybody is shown: what was rendered, or the fault with its place. */
  readonly output: string;
  readonly objects: readonly JsonObject[];
}

/** Renders the files as the source of an application would be; the files are its folder. */
export function attempt(files: TreeShape, source: JsonObject = {}, more: Partial<RenderRequest> = {}): Attempt {
  try {
    const { outcome } = renderSource({
      tree: treeOf(files),
      source: { repoURL: 'https://git.example/shop', ...source },
      refs: new Map(),
      fetched: new Map(),
      application: { name: 'shop', namespace: 'argocd', project: 'default' },
      destinationNamespace: 'prod',
      kubeVersion: '1.34.4',
      apiVersions: [],
      host: { now: () => 0n, random: (count) => new Uint8Array(count).fill(7), zone: 'UTC' },
      ...more,
    });
    if (outcome.kind === 'needs') return { ending: 'needs', output: JSON.stringify(outcome.needs), objects: [] };
    return {
      ending: 'rendered',
      output: outcome.manifests.map(({ text = '' }) => text).join('---\n'),
      objects: outcome.manifests.map(({ object }) => object as unknown as JsonObject),
    };
  } catch (error) {
    if (error instanceof Fault) return { ending: error.code, output: `${error.message} (${error.where})`, objects: [] };
    return {
      ending: 'defect',
      output: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      objects: [],
    };
  }
}

/** A chart with one template, and values as text. */
export function chart(template: string, values = '{}', more: TreeShape = {}): TreeShape {
  return {
    'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
    'values.yaml': values,
    'templates/a.yaml': template,
    ...more,
  };
}

/** A ConfigMap whose data is what an expression of a template gives, as text. */
export function show(expression: string): string {
  return (
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { shown: {{ ${expression} | toJson | quote ` +
    '}} }\n'
  );
}
