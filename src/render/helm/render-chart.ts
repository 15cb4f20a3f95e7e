import { clone, isObject } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import { quoteGo } from '../../model/go/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { BoundedCache, type Manifest, NeedsContent, type Need } from '../common/index.js';
import type { ActiveChart } from './chart/active-chart.js';
import type { ChartFile } from './chart/chart-file.js';
import { isInRange } from './chart/is-in-range.js';
import { HELM_FUNCTIONS } from './functions/helm-functions.js';
import type { FunctionHost } from './functions/host.js';
import { parseKubeVersion, type KubeVersion } from './objects/kube-version.js';
import { documentLine } from './output/document-line.js';
import { printRelease, type PrintedDocument } from './output/print-release.js';
import { isTest, readDocument, sortDocuments, type RenderedDocument } from './output/sort-documents.js';
import { splitDocuments } from './output/split-documents.js';
import { activate, givenValues, loadChart, type ChartInput } from './prepare-chart.js';
import { renderTemplates, templateText, type Release, type RenderedFiles } from './render-templates.js';
import { validateValues } from './schema/validate-values.js';
import type { GoObject } from './template/value/go-value.js';
import { coalesceValues, isPlainNull, ValuesMismatch } from './values/coalesce.js';

export interface RenderChartRequest extends ChartInput {
  readonly release: Release;
  readonly kubeVersion: string;
  /** Besides those that Helm knows itself. */
  readonly apiVersions?: readonly string[];
  readonly includeCrds?: boolean;
  readonly skipTests?: boolean;
  readonly skipHooks?: boolean;
  readonly skipSchemaValidation?: boolean;
  /** Clock and randomness. */
  readonly context: FunctionHost;
}

export type RenderChartOutcome =
  | {
      readonly kind: 'rendered';
      readonly text: string;
      readonly manifests: readonly Manifest[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'needs'; readonly needs: readonly Need[] };

/** What `helm template` gives for a chart, as text and as objects; faults carry Helm's own words. */
export function renderChart(request: RenderChartRequest): RenderChartOutcome {
  try {
    return render(request);
  } catch (error) {
    if (error instanceof NeedsContent) return { kind: 'needs', needs: error.needs };
    throw error;
  }
}

function render(request: RenderChartRequest): RenderChartOutcome {
  const warnings: string[] = [];
  const warn = (message: string): void => {
    if (!warnings.includes(message)) warnings.push(message);
  };
  const kubeVersion = parseKubeVersion(request.kubeVersion);
  const given = givenValues(request);
  const loaded = loadChart(request);
  checkReleaseName(request.release.name);
  for (const warning of loaded.warnings) warn(warning);
  const chart = activate(loaded, given, warn);
  const values = finalValues(chart, given, warn);
  if (request.skipSchemaValidation !== true) validateValues(chart, values);
  checkKubeVersion(chart, kubeVersion);
  const rendered = renderTemplates(chart, values, {
    release: request.release,
    kubeVersion,
    apiVersions: request.apiVersions ?? [],
    functions: HELM_FUNCTIONS,
    host: request.context,
  });
  return { kind: 'rendered', ...output(chart, rendered, request), warnings };
}

export function finalValues(chart: ActiveChart, given: GoObject, warn: (message: string) => void): GoObject {
  try {
    return coalesceValues(chart, given, { keepNulls: false, warn, isNull: isPlainNull });
  } catch (error) {
    if (error instanceof ValuesMismatch)
      throw new Fault('VALUES_INVALID', error.message, { where: chart.chart.file.path });
    throw error;
  }
}

function output(
  chart: ActiveChart,
  rendered: RenderedFiles,
  request: RenderChartRequest,
): { readonly text: string; readonly manifests: readonly Manifest[] } {
  const files = new Map([...rendered.texts].filter(([name]) => !name.endsWith('NOTES.txt')));
  const sorted = sortDocuments(files);
  const hooks =
    request.skipHooks === true ? [] : sorted.hooks.filter((hook) => request.skipTests !== true || !isTest(hook));
  const crds = request.includeCrds === true ? chart.crds : [];
  const printed: PrintedDocument[] = [
    ...crds.map(({ source, file }) => ({ source, text: templateText(file) })),
    ...sorted.manifests,
  ];
  const manifests = [...sorted.manifests, ...hooks].flatMap((document) => manifestOf(document, rendered));
  return { text: printRelease(printed, hooks), manifests: [...crds.flatMap(crdManifests), ...manifests] };
}

function manifestOf(document: RenderedDocument, { files }: RenderedFiles): Manifest[] {
  const { value, text } = document;
  const file = files.get(document.source);
  if (!isObject(value) || file === undefined) return [];
  return [
    {
      object: value as KubeObject,
      origin: { file: file.path, line: documentLine(file, templateText(file), document) },
      text,
    },
  ];
}

const crdCache = new BoundedCache<readonly Manifest[]>(64 * 1024 * 1024);

/** Definitions are large and the same in every render, so they are read once and copied. */
function crdManifests({ source, file }: ActiveChart['crds'][number]): Manifest[] {
  const kept = crdCache.get(
    `${file.id} ${file.path} ${source}`,
    () => readCrds(source, file),
    () => file.bytes.length * 8,
  );
  return kept.map((manifest) => ({ ...manifest, object: clone(manifest.object) }));
}

function readCrds(source: string, file: ChartFile): Manifest[] {
  const content = templateText(file);
  const documents = splitDocuments(content);
  return documents.flatMap((text, index) => {
    const value = readDocument(text, source);
    if (!isObject(value)) return [];
    const line = documentLine(file, content, { index, count: documents.length, kind: 'CustomResourceDefinition' });
    return [{ object: value as KubeObject, origin: { file: file.path, line }, text }];
  });
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME_LENGTH = 53;

function checkReleaseName(name: string): void {
  const refuse = (problem: string): never => {
    throw new Fault('VALUE_INVALID', `release name check failed: release name ${quoteGo(name)}: ${problem}`);
  };
  if (name === '') refuse('no name provided');
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name))
    refuse(
      `invalid release name, must match regex ${NAME.source} and the length must not be longer than ${MAX_NAME_LENGTH}`,
    );
}

function checkKubeVersion({ metadata, chart }: ActiveChart, version: KubeVersion): void {
  if (metadata.kubeVersion === '' || isInRange(version.normal, metadata.kubeVersion)) return;
  throw new Fault(
    'CHART_INVALID',
    `chart requires kubeVersion: ${metadata.kubeVersion} which is incompatible with Kubernetes ${version.full}`,
    { where: chart.file.path },
  );
}
