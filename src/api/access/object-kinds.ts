import { projectOf } from '../../model/argo/index.js';
import { isObject, objectsAt, own, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import {
  APPLICATION_SETS,
  APPLICATIONS,
  APP_PROJECTS,
  CONFIG_MAPS,
  SECRETS,
  type ResourceRef,
} from '../../model/resources/index.js';
import type { Subject } from './access.js';
import { rbacName } from './find-application.js';
import { projectRoles } from './rbac/project-roles.js';
import { OUR_ISSUER } from './tokens/claims.js';

/** A kind of object that requests end on, and how policies know one. */
export interface ObjectKind<T> {
  readonly resource: RbacResource;
  /**
   * The names of an object in policies. Whoever changes it must be allowed to under each of them, whoever reads it
   * under the first.
   */
  namesOf(object: T, controlNamespace: string): readonly string[];
  /** Who needs no policy for it. */
  isOwn?(object: T, subject: Subject): boolean;
}

/** A kind that the cluster of the control plane keeps; it is written by the authoriser only. */
export interface StoredKind extends ObjectKind<KubeObject> {
  readonly ref: ResourceRef;
}

export const APPLICATION: StoredKind = {
  resource: 'applications',
  ref: APPLICATIONS,
  namesOf: (application, controlNamespace) => [
    rbacName(
      controlNamespace,
      projectOf(application),
      application.metadata.namespace ?? '',
      application.metadata.name ?? '',
    ),
  ],
};

/** As far as policies know an application: one that may not be there yet. */
export function namedApplication(project: string, namespace: string, name: string): KubeObject {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace }, spec: { project } };
}

/** What belongs to no project: only who may get every application gets it. */
export const EVERY_APPLICATION: ObjectKind<undefined> = { resource: 'applications', namesOf: () => ['*/*'] };

/** What everybody did: there is one log, and it belongs to no project. */
export const AUDIT_LOG: ObjectKind<undefined> = { resource: 'audit', namesOf: () => ['*'] };

/** A set belongs to the project that its template names. */
export function projectOfSet(set: KubeObject): string {
  return textAt(set, 'spec', 'template', 'spec', 'project') || 'default';
}

/** Templates of generators may name further projects, whose applications it makes and deletes as well. */
export const APPLICATION_SET: StoredKind = {
  resource: 'applicationsets',
  ref: APPLICATION_SETS,
  namesOf: (set, controlNamespace) => {
    const further = objectsAt(set, 'spec', 'generators').flatMap((generator) =>
      Object.values(generator).flatMap((body) => (isObject(body) ? textAt(body, 'template', 'spec', 'project') : [])),
    );
    return [...new Set([projectOfSet(set), ...further.filter((project) => project !== '')])].map((project) =>
      rbacName(controlNamespace, project, set.metadata.namespace ?? '', set.metadata.name ?? ''),
    );
  },
};

export const PROJECT: StoredKind = {
  resource: 'projects',
  ref: APP_PROJECTS,
  namesOf: ({ metadata: { name = '' } }) => [name],
};

/** The tokens of a role of a project, which members of the role may change too. */
export const ROLE_TOKENS: ObjectKind<{ readonly project: KubeObject; readonly role: string }> = {
  resource: 'projects',
  namesOf: ({ project: { metadata } }) => [metadata.name ?? ''],
  isOwn: ({ project, role }, { groups }) =>
    projectRoles(project).roles.some(
      (each) => each.name === role && each.groups.some((group) => groups.includes(group)),
    ),
};

/** A project of which nothing but the tokens of a role is written. */
export function tokensOf(role: string): StoredKind {
  return {
    ...PROJECT,
    isOwn: (project, subject) => ROLE_TOKENS.isOwn?.({ project, role }, subject) === true,
  };
}

/** A repository, a credential template or a cluster: of a project, or of all. */
interface OfProject {
  /** Empty for all. */
  readonly project: string;
}

function nameIn({ project }: OfProject, address: string): readonly string[] {
  return [project === '' ? address : `${project}/${address}`];
}

export const REPOSITORY: ObjectKind<OfProject & { readonly url: string }> = {
  resource: 'repositories',
  namesOf: (repository) => nameIn(repository, repository.url),
};

/** The Secret of a repository or of a credential template. */
export const REPOSITORY_SECRET: StoredKind = {
  resource: 'repositories',
  ref: SECRETS,
  namesOf: (secret) => nameIn({ project: secretText(secret, 'project') }, secretText(secret, 'url')),
};

/** The same with credentials to write, for a hydrator: a right of its own. */
export const WRITE_REPOSITORY: typeof REPOSITORY = { ...REPOSITORY, resource: 'write-repositories' };
export const WRITE_REPOSITORY_SECRET: StoredKind = { ...REPOSITORY_SECRET, resource: 'write-repositories' };

export const CLUSTER: ObjectKind<OfProject & { readonly server: string }> = {
  resource: 'clusters',
  namesOf: (cluster) => nameIn(cluster, cluster.server),
};

export const CLUSTER_SECRET: StoredKind = {
  resource: 'clusters',
  ref: SECRETS,
  namesOf: (secret) => nameIn({ project: secretText(secret, 'project') }, secretText(secret, 'server')),
};

/** A value of a Secret, as it is stored or as it will be. */
function secretText({ data, stringData }: KubeObject, key: string): string {
  const plain = isObject(stringData) ? own(stringData, key) : undefined;
  if (typeof plain === 'string') return plain;
  const stored = isObject(data) ? own(data, key) : undefined;
  return typeof stored === 'string' ? Buffer.from(stored, 'base64').toString('utf8') : '';
}

/** They belong to the installation: policies know no names of them. */
const unnamed = (resource: RbacResource): StoredKind => ({ resource, ref: CONFIG_MAPS, namesOf: () => [''] });
export const CERTIFICATES = unnamed('certificates');
export const SIGNING_KEYS = unnamed('gpgkeys');

export const ACCOUNT: ObjectKind<{ readonly name: string }> = {
  resource: 'accounts',
  namesOf: ({ name }) => [name],
  isOwn: ({ name }, subject) => subject.name === name && subject.issuer === OUR_ISSUER,
};
