import { isObject, objectsAt, own, textAt, textsAt, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';

/** A token of a project's role; its text is nowhere kept. */
export interface ProjectToken {
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface ProjectRole {
  readonly name: string;
  readonly policies: readonly string[];
  readonly groups: readonly string[];
}

/** What a project says of rights in it. */
export interface ProjectRoles {
  readonly name: string;
  readonly roles: readonly ProjectRole[];
  /** The lines that it adds to the policy. */
  readonly policy: string;
  tokens(role: string): readonly ProjectToken[];
}

/** The roles of an AppProject; what has another form than it should is read as absent, so that it gives no rights. */
export function projectRoles(project: KubeObject): ProjectRoles {
  const spec = section(project, 'spec');
  const byRole = section(section(project, 'status'), 'jwtTokensByRole');
  const written = objectsAt(spec, 'roles');
  const name = project.metadata.name ?? '';
  const roles = written.map((role) => ({
    name: textAt(role, 'name'),
    policies: textsAt(role, 'policies'),
    groups: textsAt(role, 'groups'),
  }));
  return {
    name,
    roles,
    policy: policyOf(name, roles),
    // Argo CD keeps them in the status, and copies there what older versions kept in the spec.
    tokens: (wanted) => {
      // What a role had that is gone gives nobody a session.
      if (!written.some((role) => role.name === wanted)) return [];
      const kept = objectsAt(section(byRole, wanted), 'items');
      return (
        kept.length > 0
          ? kept
          : written.filter((role) => role.name === wanted).flatMap((role) => objectsAt(role, 'jwtTokens'))
      ).map(tokenOf);
    },
  };
}

/** Everyone with a role may see the project. */
function policyOf(name: string, roles: readonly ProjectRole[]): string {
  return roles
    .flatMap((role) => [
      `p, proj:${name}:${role.name}, projects, get, ${name}, allow`,
      ...role.policies,
      ...role.groups.map((group) => `g, ${group}, proj:${name}:${role.name}`),
    ])
    .join('\n');
}

/** `proj:PROJECT:ROLE`, which tokens of projects are issued to. */
export function projectSubject(subject: string): { readonly project: string; readonly role: string } | undefined {
  const [kind, project, role, more] = subject.split(':');
  return kind === 'proj' && project !== undefined && role !== undefined && more === undefined
    ? { project, role }
    : undefined;
}

function tokenOf(token: JsonObject): ProjectToken {
  return { id: textAt(token, 'id'), issuedAt: seconds(token, 'iat'), expiresAt: seconds(token, 'exp') };
}

function section(object: JsonObject, key: string): JsonObject {
  const value = own(object, key);
  return isObject(value) ? value : {};
}

function seconds(object: JsonObject, key: string): number {
  const value = own(object, key);
  return typeof value === 'number' ? value : 0;
}
