import { randomUUID } from 'node:crypto';
import { ClusterError, type ControlServices } from '../../../control/index.js';
import { clone, isArray, isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError, json } from '../../http/index.js';
import { route, type Context, type Route, fields, text, integer } from '../../route/index.js';
import {
  type Authenticator,
  permissionDenied,
  projectRoles,
  type ProjectRole,
  type ProjectToken,
} from '../../access/index.js';
import { APP_PROJECTS } from '../../../model/resources/index.js';

const TAG = 'project';
const MAX_ATTEMPTS = 8;

/**
 * Tokens of the roles of projects, for pipelines. Administrators of the project make and delete them, and members of
 * the role.
 */
export function projectTokenRoutes(authenticator: Authenticator): Route[] {
  return [
    route('POST', '/api/v1/projects/{project}/roles/{role}/token', {
      summary: 'Create a token of a project role. It is returned only once.',
      tag: TAG,
      access: 'signed-in',
      bodyLimit: 16_384,
      body: fields({
        project: text(),
        role: text(),
        description: text(),
        id: text('', { maxLength: 256 }),
        expiresIn: integer('Seconds; 0 for ever.', { min: 0, max: 100 * 366 * 86_400 }),
      }),
      handle: async (context) => {
        const {
          path: { project, role },
          body: { id = '', expiresIn = 0 },
        } = context;
        const issued = authenticator.sessions.issue(`proj:${project}:${role}`, expiresIn, {
          id: id === '' ? randomUUID() : id,
        });
        await changeTokens(context, project, role, (tokens) => {
          if (tokens.some((token) => token.id === issued.id))
            throw new ApiError('InvalidArgument', `Token id '${issued.id}' has been used. `);
          return [...tokens, { id: issued.id, issuedAt: issued.issuedAt, expiresAt: issued.expiresAt }];
        });
        return json({ token: issued.token });
      },
    }),
    route('DELETE', '/api/v1/projects/{project}/roles/{role}/token/{iat}', {
      summary: 'Delete a token of a project role, by its id or by the second of its creation.',
      tag: TAG,
      access: 'signed-in',
      query: { id: text('', { maxLength: 256 }) },
      handle: async (context) => {
        const {
          path: { project, role, iat },
          query: { id = '' },
        } = context;
        const isMeant = (token: ProjectToken): boolean =>
          id === '' ? String(token.issuedAt) === iat : token.id === id;
        await changeTokens(context, project, role, (tokens) => {
          if (!tokens.some(isMeant))
            throw new ApiError(
              'NotFound',
              `JWT token for role '${role}' issued at '${iat}' does not exist in project '${project}'`,
            );
          return tokens.filter((token) => !isMeant(token));
        });
        return json({});
      },
    }),
  ];
}

/** Written conditionally; asked again where somebody else wrote meanwhile. */
async function changeTokens(
  { services, may, subject }: Pick<Context, 'services' | 'may' | 'subject'>,
  name: string,
  role: string,
  change: (tokens: readonly ProjectToken[]) => readonly ProjectToken[],
): Promise<void> {
  for (let tried = 1; ; tried++) {
    const live = await find(services, name);
    const roles = live === undefined ? undefined : projectRoles(live);
    const found = roles?.roles.find((each) => each.name === role);
    // Who may not change the project learns nothing of its roles.
    if (!may('projects', 'update', name) && !isMember(found, subject.groups))
      throw permissionDenied(subject, 'projects', 'update', name);
    if (live === undefined || roles === undefined)
      throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
    if (found === undefined) throw new ApiError('NotFound', `project '${name}' does not have role '${role}'`);
    try {
      services.projects.recordWrite(
        await services.cluster.update(APP_PROJECTS, withTokens(live, role, change(roles.tokens(role)))),
      );
      return;
    } catch (error) {
      if (!(error instanceof ClusterError && error.isConflict) || tried >= MAX_ATTEMPTS) throw error;
    }
  }
}

function find({ cluster, namespace }: ControlServices, name: string): Promise<KubeObject | undefined> {
  return cluster.get(APP_PROJECTS, { namespace, name });
}

function isMember(role: ProjectRole | undefined, groups: readonly string[]): boolean {
  return role?.groups.some((group) => groups.includes(group)) ?? false;
}

/** In the status, where Argo CD looks for them; what older versions kept in the spec goes. */
function withTokens(project: KubeObject, role: string, tokens: readonly ProjectToken[]): KubeObject {
  const copy = clone(project);
  const status: JsonObject = isObject(copy.status) ? copy.status : {};
  const byRole: JsonObject = isObject(status.jwtTokensByRole) ? status.jwtTokensByRole : {};
  put(byRole, role, {
    items: tokens.map(({ id, issuedAt, expiresAt }) => ({
      iat: issuedAt,
      ...(expiresAt === 0 ? {} : { exp: expiresAt }),
      ...(id === '' ? {} : { id }),
    })),
  });
  const roles = isObject(copy.spec) ? own(copy.spec, 'roles') : undefined;
  for (const each of isArray(roles) ? roles.filter(isObject) : []) if (each.name === role) delete each.jwtTokens;
  return { ...copy, status: { ...status, jwtTokensByRole: byRole } };
}
