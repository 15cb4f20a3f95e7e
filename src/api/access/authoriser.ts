import type { ControlServices } from '../../control/index.js';
import type { ApplicationId } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../http/index.js';
import type { Access, Subject } from './access.js';
import { APPLICATION, PROJECT, type ObjectKind, type StoredKind } from './object-kinds.js';
import { permissionDenied } from './permission-denied.js';

interface WriteOptions {
  readonly dryRun?: boolean;
}

/** Hears what was decided; of objects that are only listed it does not. */
export interface DecisionObserver {
  decided(isAllowed: boolean, resource: string, action: string, object: string): void;
}

/**
 * Decides for one caller, on the object that a request ends on: as it is, and as it will be. It also writes what it
 * decided, so nothing is written that was not, and a write fails where the object is no longer the one that was decided
 * on.
 */
export class Authoriser {
  readonly #subject: Subject;
  readonly #access: Access;
  readonly #services: ControlServices;
  readonly #observer: DecisionObserver;

  constructor(subject: Subject, access: Access, services: ControlServices, observer: DecisionObserver) {
    this.#observer = observer;
    this.#subject = subject;
    this.#access = access;
    this.#services = services;
  }

  may<T>(kind: ObjectKind<NoInfer<T>>, action: string, object: T): boolean {
    const refused = this.#isOwn(kind, object) ? undefined : this.#refusedName(kind, action, object);
    const name = refused ?? kind.namesOf(object, this.#services.namespace)[0] ?? '';
    this.#observer.decided(refused === undefined, kind.resource, action, name);
    return refused === undefined;
  }

  #allows<T>(kind: ObjectKind<NoInfer<T>>, action: string, object: T): boolean {
    return this.#isOwn(kind, object) || this.#refusedName(kind, action, object) === undefined;
  }

  #isOwn<T>(kind: ObjectKind<T>, object: T): boolean {
    return kind.isOwn?.(object, this.#subject) === true;
  }

  visible<T>(kind: ObjectKind<NoInfer<T>>, objects: readonly T[]): T[] {
    return objects.filter((object) => this.#allows(kind, 'get', object));
  }

  /** For what the request itself names: a refusal repeats it. */
  must<T>(kind: ObjectKind<NoInfer<T>>, action: string, object: T): void {
    if (!this.may(kind, action, object))
      throw permissionDenied(this.#subject, kind.resource, action, this.#refusedName(kind, action, object) ?? '');
  }

  /** For what was found: who may not see it learns nothing of it, not even its project. */
  mustFound<T>(kind: ObjectKind<NoInfer<T>>, action: string, object: T): void {
    if (this.may(kind, action, object)) return;
    if (!this.#allows(kind, 'get', object)) throw new ApiError('PermissionDenied', 'permission denied');
    this.must(kind, action, object);
  }

  /** Who changes an object must be allowed to where it is, and who moves it also to create and change it there. */
  mustChange(kind: StoredKind, action: string, before: KubeObject, after: KubeObject): void {
    this.mustFound(kind, action, before);
    const names = new Set(kind.namesOf(before, this.#services.namespace));
    if (kind.namesOf(after, this.#services.namespace).every((name) => names.has(name))) return;
    for (const each of ['create', 'update']) this.must(kind, each, after);
  }

  async create(kind: StoredKind, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    this.must(kind, 'create', object);
    return this.#record(kind, await this.#services.cluster.create(kind.ref, object, options));
  }

  /** `before` is the object as it was read; what changed meanwhile is a conflict. */
  async update(
    kind: StoredKind,
    before: KubeObject,
    after: KubeObject,
    { action = 'update', ...options }: WriteOptions & { readonly action?: string } = {},
  ): Promise<KubeObject> {
    const { name, namespace, uid, resourceVersion } = before.metadata;
    const wanted: KubeObject = {
      ...after,
      metadata: {
        ...after.metadata,
        ...(name === undefined ? {} : { name }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    };
    this.mustChange(kind, action, before, wanted);
    return this.#record(kind, await this.#services.cluster.update(kind.ref, wanted, options));
  }

  async remove(kind: StoredKind, object: KubeObject): Promise<void> {
    this.mustFound(kind, 'delete', object);
    const { name = '', namespace, uid = '' } = object.metadata;
    await this.#services.cluster.remove(kind.ref, { name, ...(namespace === undefined ? {} : { namespace }) }, { uid });
  }

  /** Changes the Application as it is then; on a conflict it is read, decided and changed again. */
  changeApplication(
    id: ApplicationId,
    action: string,
    change: (application: KubeObject) => KubeObject,
  ): Promise<KubeObject> {
    return this.#services.applications.change(id, (before) => {
      const after = change(before);
      this.mustChange(APPLICATION, action, before, after);
      return after;
    });
  }

  /** The first of its names under which it is refused. */
  #refusedName<T>(kind: ObjectKind<T>, action: string, object: T): string | undefined {
    const names = kind.namesOf(object, this.#services.namespace);
    return (action === 'get' ? names.slice(0, 1) : names).find(
      (name) => !this.#access.enforce(this.#subject, kind.resource, action, name),
    );
  }

  /** The next read sees it. */
  #record({ ref }: StoredKind, written: KubeObject): KubeObject {
    if (ref === APPLICATION.ref) this.#services.applications.recordWrite(written);
    if (ref === PROJECT.ref) this.#services.projects.recordWrite(written);
    return written;
  }
}
