import { isDeliveredHere, projectOf } from '../../model/argo/index.js';
import type { CauseView } from '../../model/api/index.js';
import { objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATION_SETS } from '../../model/resources/index.js';
import { APPLICATION, APPLICATION_SET, EVERY_APPLICATION, PROJECT, type Authoriser } from '../access/index.js';
import type { ReadServices } from '../route/index.js';
import { hideForeign, titleFor, type Parts, type Reader } from './hide.js';
import { parseNamed, objectText, type NamedObject } from './named-object.js';

export interface CauseFilter {
  /** Undefined where nothing that the cause blames may be seen. */
  view(cause: CauseView): CauseView | undefined;
  title(cause: Parts): string | undefined;
}

type Decider = Pick<Authoriser, 'visible'>;

/**
 * What a person may see of these causes. Applications, their sets and projects are decided by policies. Any other
 * object is visible where the project of a visible Application allows its namespace, unless an Application that is not
 * visible manages it or has the namespace for itself. Objects of the cluster, such as nodes, are visible unless such an
 * Application manages them.
 */
export async function visibleTo(
  authoriser: Decider,
  services: ReadServices,
  causes: readonly Parts[],
): Promise<CauseFilter> {
  if (authoriser.visible(EVERY_APPLICATION, [undefined]).length > 0)
    return { view: (cause) => cause, title: ({ title }) => title };
  const objects = new Map(causes.flatMap(objectsOf).map((object) => [objectText(object), object]));
  const reader = new Visibility(authoriser, services, objects, await readSets(objects, services));
  return { view: (cause) => hideForeign(cause, reader), title: (cause) => titleFor(cause, reader) };
}

function objectsOf({ objects, evidence, chain, consequences }: Parts): NamedObject[] {
  const texts = [...evidence.map(({ of }) => of), ...[...chain, ...consequences].map(({ object }) => object)];
  return [...objects, ...texts.flatMap((text) => parseNamed(text) ?? [])];
}

async function readSets(
  objects: ReadonlyMap<string, NamedObject>,
  services: ReadServices,
): Promise<ReadonlyMap<string, KubeObject>> {
  const sets = new Map<string, KubeObject>();
  for (const [text, { kind, namespace, name }] of objects) {
    const found =
      kind === 'ApplicationSet' ? await services.cluster.get(APPLICATION_SETS, { namespace, name }) : undefined;
    if (found !== undefined) sets.set(text, found);
  }
  return sets;
}

class Visibility implements Reader {
  readonly hiddenNamespaces: ReadonlySet<string>;
  readonly #decider: Decider;
  readonly #services: ReadServices;
  readonly #sets: ReadonlyMap<string, KubeObject>;
  readonly #projects: readonly string[];
  /** Names of Applications that the reader may not see. */
  readonly #hiddenNames: ReadonlySet<string>;
  /** What they manage, of the objects that are asked for. */
  readonly #managedByOthers: ReadonlySet<string>;

  constructor(
    decider: Decider,
    services: ReadServices,
    objects: ReadonlyMap<string, NamedObject>,
    sets: ReadonlyMap<string, KubeObject>,
  ) {
    this.#decider = decider;
    this.#services = services;
    this.#sets = sets;
    const all = services.applications.list();
    const shown = new Set(decider.visible(APPLICATION, all));
    const hidden = all.filter((application) => !shown.has(application));
    const namespaces = new Set([...shown].map(namespaceOf));
    this.#projects = [...new Set([...shown].map(projectOf))];
    this.#hiddenNames = new Set(hidden.map(({ metadata }) => metadata.name ?? ''));
    this.hiddenNamespaces = new Set(
      hidden.map(namespaceOf).filter((namespace) => namespace !== '' && !namespaces.has(namespace)),
    );
    this.#managedByOthers = new Set(hidden.flatMap((application) => managed(application, objects)));
  }

  maySeeApplication(name: string): boolean {
    return !this.#hiddenNames.has(name);
  }

  maySee({ kind, namespace, name }: NamedObject): boolean {
    const text = objectText({ kind, namespace, name });
    const may = (found: KubeObject | undefined, of: typeof APPLICATION): boolean =>
      found !== undefined && this.#decider.visible(of, [found]).length > 0;
    if (kind === 'Application') return may(this.#services.applications.find(namespace, name), APPLICATION);
    if (kind === 'ApplicationSet') return may(this.#sets.get(text), APPLICATION_SET);
    if (kind === 'AppProject') return may(this.#services.projects.findObject(name), PROJECT);
    if (this.#managedByOthers.has(text)) return false;
    if (kind === 'Namespace' && namespace === '') return this.#maySeeNamespace(name);
    return namespace === '' || this.#maySeeNamespace(namespace);
  }

  #maySeeNamespace(namespace: string): boolean {
    if (this.hiddenNamespaces.has(namespace)) return false;
    return this.#projects.some((project) => this.#services.projects.permitsNamespace(project, namespace));
  }
}

function namespaceOf(application: KubeObject): string {
  return isDeliveredHere(application) ? textAt(application, 'spec', 'destination', 'namespace') : '';
}

function managed(application: KubeObject, objects: ReadonlyMap<string, NamedObject>): string[] {
  if (!isDeliveredHere(application)) return [];
  return objectsAt(application, 'status', 'resources')
    .map((raw) =>
      objectText({ kind: textAt(raw, 'kind'), namespace: textAt(raw, 'namespace'), name: textAt(raw, 'name') }),
    )
    .filter((text) => objects.has(text));
}
