import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRbacConfig } from '../../../model/rbac/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Claims } from '../tokens/claims.js';
import { projectRoles } from './project-roles.js';
import { PolicyEnforcer } from './policy-enforcer.js';

interface Case {
  readonly name: string;
  readonly data?: JsonObject;
  readonly projects?: readonly KubeObject[];
  readonly accounts?: readonly string[];
  readonly broken?: string;
  readonly asks: readonly (readonly [
    who: string | Claims | null,
    resource: string,
    action: string,
    object: string,
    allowed: boolean,
    line?: string,
  ])[];
}

const file = join(import.meta.dirname, 'cases.yaml');
const CASES = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file }) as unknown as readonly Case[];

describe('RBAC policies', () => {
  it.each(CASES)('$name', ({ data = {}, projects = [], accounts = [], broken, asks }) => {
    const roles = new Map(projects.map((project) => [project.metadata.name, projectRoles(project)]));
    const rights = new PolicyEnforcer(
      readRbacConfig(data),
      (name) => roles.get(name),
      (name) => accounts.includes(name),
    );
    for (const [who, resource, action, object, allowed, line] of asks) {
      const claims = typeof who === 'string' ? { sub: who } : (who ?? undefined);
      const decision = rights.decide(claims, { resource, action, object });
      const asked = `${JSON.stringify(who)} ${action} ${resource} ${object}`;
      expect([asked, decision.allowed, decision.broken?.where]).toEqual([asked, allowed, broken]);
      if (line !== undefined) expect([asked, decision.rule?.line]).toEqual([asked, line]);
    }
  });
});
