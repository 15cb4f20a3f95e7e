import { Fault } from '../../../model/faults/index.js';
import { projectOf, sourcesOf } from '../../../model/argo/index.js';
import { objectsAt, textAt } from '../../../model/json/index.js';
import { keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../../model/kubernetes/index.js';
import type { Tree } from '../../../model/formats/index.js';
import { renderSource, type Manifest, type RenderRequest } from '../../../render/index.js';
import { changedTree, checkoutOf, NO_CHANGES, type Changes, type Checkout } from './checkout.js';

/** What an application makes of the files that are here. */
export interface ApplicationRender {
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** The files that it read. */
  readonly reads: readonly { readonly checkout: Checkout; readonly path: string }[];
}

const KUBERNETES = '1.34.4';
/** The same chance for every render, so that only what was changed can differ. */
const HOST: RenderRequest['host'] = {
  now: () => 0n,
  random: (count) => new Uint8Array(count).map((_, index) => (index * 37 + 11) % 251),
  zone: 'UTC',
};

/** The namespace that an application delivers to. */
export function destinationOf(application: KubeObject): string {
  return textAt(application, 'spec', 'destination', 'namespace');
}

/**
 * Renders applications from files that are here, before and after changes. What cannot be rendered from them alone has
 * a reason.
 */
export class ApplicationRenderer {
  readonly #known = new Map<KubeObject, ApplicationRender | undefined>();
  readonly #last = new Map<KubeObject, { readonly changes: Changes; readonly render: ApplicationRender | undefined }>();
  readonly #apiVersions: readonly string[];

  constructor(
    readonly checkouts: readonly Checkout[],
    readonly objects: readonly KubeObject[],
  ) {
    this.#apiVersions = [
      ...new Set(objects.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`])),
    ].sort();
  }

  /** The same, with other files in the place of one checkout. */
  with(checkout: Checkout, tree: Tree): ApplicationRenderer {
    return new ApplicationRenderer(
      this.checkouts.map((each) => (each === checkout ? { ...each, tree } : each)),
      this.objects,
    );
  }

  /** As the files are; undefined where they are not all here, or do not render. */
  before(application: KubeObject): ApplicationRender | undefined {
    if (!this.#known.has(application)) this.#known.set(application, this.render(application, NO_CHANGES));
    return this.#known.get(application);
  }

  render(application: KubeObject, changes: Changes): ApplicationRender | undefined {
    const last = this.#last.get(application);
    if (last?.changes === changes) return last.render;
    const render = this.#tried(application, changes);
    this.#last.set(application, { changes, render });
    return render;
  }

  #tried(application: KubeObject, changes: Changes): ApplicationRender | undefined {
    try {
      return this.#render(application, changes);
    } catch (error) {
      // A repository that does not render proves nothing; the report says already why it does not.
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }

  #render(application: KubeObject, changes: Changes): ApplicationRender | undefined {
    const sources = sourcesOf(application).map((source) => ({
      source,
      checkout: checkoutOf(this.checkouts, {
        url: textAt(source, 'repoURL'),
        revision: textAt(source, 'targetRevision'),
        project: projectOf(application),
      }),
    }));
    const refs = new Map(
      sources.flatMap(({ source, checkout }) =>
        textAt(source, 'ref') === '' || checkout === undefined ? [] : [[textAt(source, 'ref'), checkout] as const],
      ),
    );
    const namespace = destinationOf(application);
    const manifests = new Map<string, Manifest>();
    const reads: { checkout: Checkout; path: string }[] = [];
    for (const { source, checkout } of sources) {
      if (textAt(source, 'ref') !== '' && textAt(source, 'path') === '' && textAt(source, 'chart') === '') continue;
      if (checkout === undefined || textAt(source, 'chart') !== '') return undefined;
      const { outcome, dependencies } = renderSource({
        tree: changedTree(checkout, changes),
        source,
        refs: new Map([...refs].map(([name, each]) => [name, changedTree(each, changes)])),
        fetched: new Map(),
        host: HOST,
        kubeVersion: KUBERNETES,
        apiVersions: this.#apiVersions,
        destinationNamespace: namespace,
        application: {
          name: application.metadata.name ?? '',
          namespace: application.metadata.namespace ?? '',
          project: textAt(application, 'spec', 'project'),
        },
      });
      if (outcome.kind === 'needs') return undefined;
      for (const manifest of outcome.manifests) manifests.set(keyText(placed(manifest.object, namespace)), manifest);
      const files = (facts: ReadonlyMap<string, string>, of: Checkout): void =>
        void reads.push(
          ...[...facts].filter(([, fact]) => fact.startsWith('file ')).map(([path]) => ({ checkout: of, path })),
        );
      files(dependencies.files, checkout);
      for (const [name, facts] of dependencies.refs) {
        const of = refs.get(name);
        if (of !== undefined) files(facts, of);
      }
    }
    return { manifests, reads };
  }
}

function placed(object: KubeObject, namespace: string): Key {
  const key = keyOf(object);
  return key.namespace === '' ? { ...key, namespace } : key;
}

/** The manifest of an object; a kind without a namespace is filed under the one of its application. */
export function manifestOf({ manifests }: ApplicationRender, key: Key, application: KubeObject): Manifest | undefined {
  const namespace = destinationOf(application);
  return (
    manifests.get(keyText(key)) ?? (key.namespace === '' ? manifests.get(keyText({ ...key, namespace })) : undefined)
  );
}

/** Applications by what they deliver, as their status and last operation say it. */
export function deliverers(objects: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> {
  const found = new Map<string, KubeObject[]>();
  for (const application of objects) {
    if (application.kind !== 'Application' || splitApiVersion(application.apiVersion).group !== 'argoproj.io') continue;
    const resources = [
      ...objectsAt(application, 'status', 'resources'),
      ...objectsAt(application, 'status', 'operationState', 'syncResult', 'resources'),
    ];
    for (const resource of resources) {
      const id = keyText({
        group: textAt(resource, 'group'),
        kind: textAt(resource, 'kind'),
        namespace: textAt(resource, 'namespace'),
        name: textAt(resource, 'name'),
      });
      const apps = found.get(id) ?? [];
      if (!apps.includes(application)) found.set(id, [...apps, application]);
    }
  }
  return found;
}
