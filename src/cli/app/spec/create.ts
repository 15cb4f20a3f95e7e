import { ClusterError } from '../../../cluster/index.js';
import { clone, equal, isObject, objectAt, own, textAt } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import {
  type ApplicationId,
  hasManySources,
  idOf,
  parseApplication,
  qualifiedName,
  sourcesOf,
} from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { readObjects } from '../../files/index.js';
import { type AppFlags, type AppSession, applicationId } from '../../session/index.js';
import { changeApplication } from '../../application/index.js';
import { chooseSource, type SourceChoice } from './source-choice.js';
import type { FlagValue } from './spec-flag.js';
import { applySpecFlags } from './spec-flags.js';
import { APPLICATIONS } from '../../../model/resources/index.js';

export interface CreateFlags extends AppFlags {
  readonly file?: string;
  readonly name?: string;
  readonly upsert?: boolean;
  readonly label?: readonly string[];
  readonly annotations?: readonly string[];
  readonly setFinalizer?: boolean;
  readonly validate?: boolean;
}

const FINALIZER = 'resources-finalizer.argocd.argoproj.io';

/** `app create`: from a file, from flags, or from a file and flags that change it. */
export async function create(
  session: AppSession,
  name: string | undefined,
  flags: CreateFlags,
  given: Readonly<Record<string, FlagValue | undefined>>,
): Promise<string> {
  const drafts =
    flags.file === undefined
      ? [fromFlags(session, name ?? flags.name)]
      : fromFile(session, flags.file, name, flags.name);
  const lines: string[] = [];
  for (const draft of drafts) {
    const application = complete(draft, flags, given);
    lines.push(
      `application '${application.metadata.name ?? ''}' ${await write(session, application, flags.upsert === true)}\n`,
    );
  }
  return lines.join('');
}

function fromFlags(session: AppSession, name: string | undefined): KubeObject {
  if (name === undefined) throw new Fault('USAGE', 'name the application, or give a file with -f');
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { ...applicationId(name, session) },
    spec: {},
  };
}

function fromFile(
  session: AppSession,
  file: string,
  name: string | undefined,
  rename: string | undefined,
): KubeObject[] {
  return readObjects([file]).map((object) => {
    if (object.kind !== 'Application' || !object.apiVersion.startsWith('argoproj.io/'))
      throw new Fault('USAGE', `this is a ${object.kind}, not an Application`, { where: file });
    const own = rename ?? object.metadata.name;
    if (own === undefined)
      throw new Fault('USAGE', 'app.Name is empty. --name argument can be used to provide app.Name', { where: file });
    if (name !== undefined && name !== own)
      throw new Fault('USAGE', `app name '${name}' does not match app spec metadata.name '${own}'`, { where: file });
    const namespace = session.appNamespace ?? object.metadata.namespace ?? session.controlNamespace;
    // What a controller writes, and what only a sync may ask for, is not taken from a file.
    const { status: _s, operation: _o, ...rest } = object;
    const {
      resourceVersion: _r,
      uid: _u,
      managedFields: _m,
      creationTimestamp: _c,
      generation: _g,
      ...metadata
    } = object.metadata;
    return {
      ...rest,
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { ...metadata, name: own, namespace },
    };
  });
}

function complete(
  draft: KubeObject,
  flags: CreateFlags,
  given: Readonly<Record<string, FlagValue | undefined>>,
): KubeObject {
  const application = clone(draft);
  const spec = objectAt(application, 'spec') ?? {};
  application.spec = spec;
  if (!hasManySources(application)) {
    const source = objectAt(spec, 'source') ?? {};
    applySpecFlags(spec, source, given);
    if (Object.keys(source).length > 0) spec.source = source;
  }
  if (!isObject(own(spec, 'destination'))) spec.destination = {};
  if (textAt(spec, 'project') === '') spec.project = 'default';
  const { metadata } = application;
  if ((flags.label ?? []).length > 0) metadata.labels = { ...metadata.labels, ...pairs(flags.label ?? []) };
  if ((flags.annotations ?? []).length > 0)
    metadata.annotations = { ...metadata.annotations, ...pairs(flags.annotations ?? []) };
  if (flags.setFinalizer === true) metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), FINALIZER])];
  if (flags.validate !== false) check(application);
  return application;
}

function pairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) =>
      text.includes('=') ? [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] : [text, ''],
    ),
  );
}

/** What no controller could deliver is refused here, where the one who wrote it is looking. */
export function check(application: KubeObject): void {
  const { destination } = parseApplication(application);
  const where = qualifiedName(idOf(application));
  const sources = sourcesOf(application);
  if (sources.length === 0)
    throw new Fault('VALUE_INVALID', 'the application has no source: give --repo with --path or --helm-chart', {
      where,
    });
  for (const source of sources) {
    const isComplete =
      textAt(source, 'repoURL') !== '' &&
      (textAt(source, 'path') !== '' || textAt(source, 'chart') !== '' || textAt(source, 'ref') !== '');
    if (!isComplete)
      throw new Fault(
        'VALUE_INVALID',
        'spec.source.repoURL and either spec.source.path, spec.source.chart, or spec.source.ref are required',
        { where },
      );
    if (textAt(source, 'chart') !== '' && textAt(source, 'targetRevision') === '')
      throw new Fault(
        'VALUE_INVALID',
        'spec.source.targetRevision is required if the manifest source is a helm chart',
        { where },
      );
  }
  if (destination.server === '' && destination.name === '')
    throw new Fault('VALUE_INVALID', 'the application has no destination: give --dest-server or --dest-name', {
      where,
    });
  if (destination.server !== '' && destination.name !== '')
    throw new Fault(
      'VALUE_INVALID',
      `application destination can't have both name and server defined: ${destination.name} ${destination.server}`,
      { where },
    );
}

async function write(
  session: AppSession,
  application: KubeObject,
  mayUpdate: boolean,
): Promise<'created' | 'unchanged' | 'updated'> {
  const { cluster } = session;
  try {
    await cluster.create(APPLICATIONS, application);
    return 'created';
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
  const id = idOf(application);
  const existing = await cluster.get(APPLICATIONS, id);
  if (existing !== undefined && isSame(existing, application)) return 'unchanged';
  if (!mayUpdate)
    throw new Fault('OPERATION_REFUSED', 'existing application spec is different, use upsert flag to force update', {
      where: qualifiedName(id),
    });
  await changeApplication(session, id, (current) => {
    const { labels = {}, annotations = {}, finalizers = [] } = application.metadata;
    return {
      ...current,
      spec: own(application, 'spec'),
      metadata: {
        ...current.metadata,
        labels: { ...labels },
        annotations: { ...keptAnnotations(current), ...annotations },
        finalizers: finalizers.length > 0 ? [...finalizers] : (current.metadata.finalizers ?? []),
      },
    };
  });
  return 'updated';
}

/** A request to look again is not lost by a change of the spec. */
function keptAnnotations({ metadata: { annotations = {} } }: KubeObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name.startsWith('argocd.argoproj.io/refresh')),
  );
}

function isSame(existing: KubeObject, application: KubeObject): boolean {
  const { labels: l = {}, annotations: a = {}, finalizers: f = [] } = existing.metadata;
  const { labels = {}, annotations = {}, finalizers = [] } = application.metadata;
  return (
    equal(own(existing, 'spec'), own(application, 'spec')) &&
    equal(l, labels) &&
    equal(a, annotations) &&
    equal(f, finalizers)
  );
}

export interface SetFlags extends AppFlags, SourceChoice {
  readonly validate?: boolean;
}

/** `app set`: changes the spec. */
export async function set(
  session: AppSession,
  id: ApplicationId,
  flags: SetFlags,
  given: Readonly<Record<string, FlagValue | undefined>>,
): Promise<void> {
  await changeApplication(session, id, (current) => {
    const application = clone(current);
    const spec = objectAt(application, 'spec') ?? {};
    const { source, keep } = chooseSource(application, spec, flags);
    if (!applySpecFlags(spec, source, given)) throw new Fault('USAGE', 'Please set at least one option to update');
    keep();
    if (flags.validate !== false) check(application);
    return application;
  });
}
