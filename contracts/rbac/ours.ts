import { projectRoles } from '../../src/api/access/rbac/project-roles.js';
import { readRbacConfig } from '../../src/model/rbac/index.js';
import { PolicyEnforcer } from '../../src/api/access/rbac/policy-enforcer.js';
import type { Question, Reply } from './question.js';

export function answerOurs({ data, projects, asks }: Question): Reply {
  const roles = new Map(projects.map((project) => [project.metadata.name, projectRoles(project)]));
  const rights = new PolicyEnforcer(
    readRbacConfig({ ...data }),
    (name) => roles.get(name),
    () => false,
  );
  const decisions = asks.map(({ claims, resource, action, object }) =>
    rights.decide(claims ?? undefined, { resource, action, object }),
  );
  const isBroken = decisions.some(({ broken }) => broken !== undefined);
  return { isBroken, allowed: isBroken ? [] : decisions.map(({ allowed }) => allowed) };
}
