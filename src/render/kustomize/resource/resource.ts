import type { Origin as FileOrigin } from '../../common/index.js';
import type { OpenApi } from '../schema/open-api.js';
import { clearField, field } from '../yaml/fields.js';
import { isEmpty, type YamlNode } from '../yaml/node.js';
import {
  annotationOf,
  annotationsOf,
  metadataMap,
  metadataText,
  setAnnotation,
  setMetadataMap,
  setText,
  topText,
  type TextMap,
} from './metadata.js';
import { apiVersionOf, effectiveNamespace, idText, parseApiVersion, type Gvk, type ResId } from './res-id.js';

const BUILD = 'internal.config.kubernetes.io/';
const PREVIOUS_KINDS = `${BUILD}previousKinds`;
const PREVIOUS_NAMES = `${BUILD}previousNames`;
const PREVIOUS_NAMESPACES = `${BUILD}previousNamespaces`;
const PREFIXES = `${BUILD}prefixes`;
const SUFFIXES = `${BUILD}suffixes`;
const REFERRED_BY = `${BUILD}refBy`;
const BEHAVIOR = `${BUILD}generatorBehavior`;
const NEEDS_HASH = `${BUILD}needsHashSuffix`;
const ALLOW_NAME_CHANGE = `${BUILD}allowNameChange`;
const ALLOW_KIND_CHANGE = `${BUILD}allowKindChange`;
export const HELM_GENERATED = `${BUILD}helm-generated`;

/** What a build notes on objects, and takes away at its end. */
const BUILD_ANNOTATIONS: readonly string[] = [
  PREVIOUS_KINDS,
  PREVIOUS_NAMES,
  PREFIXES,
  SUFFIXES,
  PREVIOUS_NAMESPACES,
  ALLOW_NAME_CHANGE,
  ALLOW_KIND_CHANGE,
  REFERRED_BY,
  BEHAVIOR,
  NEEDS_HASH,
  `${BUILD}path`,
  `${BUILD}index`,
  `${BUILD}seqindent`,
  `${BUILD}id`,
  `${BUILD}annotations-migration-resource-id`,
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
  HELM_GENERATED,
];

const NO_IDS: readonly ResId[] = [];

export type Behavior = 'unspecified' | 'create' | 'replace' | 'merge';

export function parseBehavior(text: string | undefined): Behavior {
  return text === 'create' || text === 'replace' || text === 'merge' ? text : 'unspecified';
}

/**
 * An object on its way through a build. Like Kustomize it keeps what it was called before in annotations, so that
 * patches and selectors see an object exactly as they do there.
 */
export class Resource {
  /** Names of the vars that read from this object. */
  referringVars: string[] = [];
  #id: { readonly id: ResId; readonly apiVersion: string; readonly schemas: number } | undefined;
  #previous: { readonly key: string; readonly ids: readonly ResId[] } | undefined;

  constructor(
    public node: YamlNode,
    readonly openApi: OpenApi,
    readonly source: FileOrigin,
  ) {}

  copy(): Resource {
    const copy = new Resource(this.node.copy(), this.openApi, this.source);
    copy.referringVars = [...this.referringVars];
    return copy;
  }

  /** A patch that deletes the object leaves nothing. */
  isEmpty(): boolean {
    return isEmpty(this.node);
  }

  get kind(): string {
    return topText(this.node, 'kind');
  }

  get apiVersion(): string {
    return topText(this.node, 'apiVersion');
  }

  get name(): string {
    return metadataText(this.node, 'name');
  }

  get namespace(): string {
    return metadataText(this.node, 'namespace');
  }

  setKind(kind: string): void {
    setText(this.node, kind, ['kind']);
  }

  setGvk(gvk: Gvk): void {
    this.setKind(gvk.kind);
    setText(this.node, apiVersionOf(gvk), ['apiVersion']);
  }

  setName(name: string): void {
    setText(this.node, name, ['metadata', 'name']);
  }

  /** An empty text removes it. */
  setNamespace(namespace: string): void {
    if (namespace !== '') setText(this.node, namespace, ['metadata', 'namespace']);
    else clearField(field(this.node, 'metadata'), 'namespace');
  }

  get labels(): TextMap {
    return metadataMap(this.node, 'labels');
  }

  get annotations(): TextMap {
    return metadataMap(this.node, 'annotations');
  }

  setLabels(labels: ReadonlyMap<string, string>): void {
    setMetadataMap(this.node, 'labels', labels);
  }

  setAnnotations(annotations: ReadonlyMap<string, string>): void {
    setMetadataMap(this.node, 'annotations', annotations);
  }

  /** What it is called now. Asked for all the time, so the answer is kept as long as the object says the same. */
  get id(): ResId {
    const { kind, apiVersion, name, namespace } = this;
    const kept = this.#id;
    if (
      kept?.id.name === name &&
      kept.id.kind === kind &&
      kept.apiVersion === apiVersion &&
      kept.id.namespace === namespace &&
      kept.schemas === this.openApi.version
    )
      return kept.id;
    const isClusterScoped = this.openApi.isClusterScoped(apiVersion, kind);
    const id = { ...parseApiVersion(apiVersion), kind, name, namespace, isClusterScoped };
    this.#id = { id, apiVersion, schemas: this.openApi.version };
    return id;
  }

  /** What it was called before, oldest first. */
  get previousIds(): readonly ResId[] {
    const texts = annotationsOf(this.node, [PREVIOUS_NAMES, PREVIOUS_NAMESPACES, PREVIOUS_KINDS]);
    const [names] = texts;
    if (names === undefined) return NO_IDS;
    const key = `${this.apiVersion} ${texts.join(' ')}`;
    if (this.#previous?.key === key) return this.#previous.ids;
    const [, namespaces = [], kinds = []] = texts.map((text) => text?.split(','));
    const { group, version } = parseApiVersion(this.apiVersion);
    const ids = names.split(',').map((name, index) => ({
      group,
      version,
      kind: kinds[index] ?? '',
      name,
      namespace: namespaces[index] ?? '',
      isClusterScoped: false,
    }));
    this.#previous = { key, ids };
    return ids;
  }

  get originalId(): ResId {
    return this.previousIds[0] ?? this.id;
  }

  rememberId(): void {
    const { id } = this;
    this.#append(PREVIOUS_NAMES, id.name);
    this.#append(PREVIOUS_NAMESPACES, effectiveNamespace(id));
    this.#append(PREVIOUS_KINDS, id.kind);
  }

  #list(annotation: string): string[] {
    return annotationOf(this.node, annotation)?.split(',') ?? [];
  }

  #append(annotation: string, value: string): void {
    if (value !== '') setAnnotation(this.node, annotation, [...this.#list(annotation), value].join(','));
  }

  addPrefix(prefix: string): void {
    this.#append(PREFIXES, prefix);
  }

  addSuffix(suffix: string): void {
    this.#append(SUFFIXES, suffix);
  }

  /** Whether both were given the same prefixes and suffixes; where one has none, `lenient` lets it pass. */
  hasSameAffixes(other: Resource, lenient: boolean): boolean {
    return [PREFIXES, SUFFIXES].every((annotation) => {
      const [mine, theirs] = [this.#list(annotation), other.#list(annotation)];
      return (lenient && (mine.length === 0 || theirs.length === 0)) || sameEnding(mine, theirs);
    });
  }

  referredBy(id: ResId): void {
    this.#append(REFERRED_BY, idText(id));
  }

  #isEnabled(annotation: string): boolean {
    return annotationOf(this.node, annotation) === 'enabled';
  }

  #enable(annotation: string): void {
    this.setAnnotations(this.annotations.set(annotation, 'enabled'));
  }

  allow({ nameChange, kindChange }: { nameChange: boolean; kindChange: boolean }): void {
    if (nameChange) this.#enable(ALLOW_NAME_CHANGE);
    if (kindChange) this.#enable(ALLOW_KIND_CHANGE);
  }

  get mayChangeName(): boolean {
    return this.#isEnabled(ALLOW_NAME_CHANGE);
  }

  get mayChangeKind(): boolean {
    return this.#isEnabled(ALLOW_KIND_CHANGE);
  }

  get needsHash(): boolean {
    return this.#isEnabled(NEEDS_HASH);
  }

  /** Marks an object that a generator made. */
  markGenerated(behavior: Behavior, needsHash: boolean): void {
    if (needsHash) this.#enable(NEEDS_HASH);
    this.setAnnotations(this.annotations.set(BEHAVIOR, behavior));
  }

  get behavior(): Behavior {
    return parseBehavior(annotationOf(this.node, BEHAVIOR));
  }

  removeBuildAnnotations(): void {
    const { annotations } = this;
    if (annotations.size === 0) return;
    for (const name of BUILD_ANNOTATIONS) annotations.delete(name);
    this.setAnnotations(annotations);
  }

  /** Takes name, namespace and build notes of another, and its labels and annotations where it has none of its own. */
  takeMetadataFrom(other: Resource): void {
    this.setLabels(new Map([...other.labels, ...this.labels]));
    const mine = this.annotations;
    const theirs = other.annotations;
    const merged = new Map([...theirs, ...mine]);
    for (const name of BUILD_ANNOTATIONS) {
      const value = theirs.get(name);
      if (value === undefined) merged.delete(name);
      else merged.set(name, value);
    }
    if (!mine.has(NEEDS_HASH)) merged.delete(NEEDS_HASH);
    this.setAnnotations(merged);
    this.setName(other.name);
    this.setNamespace(other.namespace);
    this.referringVars = [...other.referringVars];
  }

  /** Annotations that survive a patch which rewrites the object. */
  get internalAnnotations(): TextMap {
    const kept = ['config.kubernetes.io/path', 'config.kubernetes.io/index', 'config.k8s.io/id'];
    return new Map([...this.annotations].filter(([name]) => name.startsWith(BUILD) || kept.includes(name)));
  }
}

/** Whether the shorter list is the end of the longer; an empty one is only that of an empty one. */
function sameEnding(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length === 0) return long.length === 0;
  return short.every((item, index) => long[index + long.length - short.length] === item);
}
