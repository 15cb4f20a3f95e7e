import { randomUUID } from 'node:crypto';
import { ClusterError } from '../../../control/index.js';
import { clone, isArray, isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError, json } from '../../http/index.js';
import {
  route,
  type Context,
  type Input,
  type ReadServices,
  type Route,
  fields,
  text,
  integer,
} from '../../route/index.js';
import { type Authenticator, projectRoles, ROLE_TOKENS, tokensOf, type ProjectToken } from '../../access/index.js';
import { APP_PROJECTS } from '../../../model/resources/index.js';

const TAG = 'project';
const MAX_ATTEMPTS = 8;

/** Who may not change the project learns nothing of its roles. */
const ROLE = {
  kind: ROLE_TOKENS,
  action: 'update',
  find: ({ path }: Input, { projects }: ReadServices) => {
    const project = projects.findObject(path['project'] ?? '');
    return project === undefined ? undefined : { project, role: path['role'] ?? '' };
  },
  named: ({ path }: Input) => ({
    project: { apiVersion: '', kind: 'AppProject', metadata: { name: path['project'] ?? '' } },
    role: path['role'] ?? '',
  }),
} as const;

/**
 * Tokens of the roles of projects, for pipelines. Administrators of the project make and delete them, and members of
 * the role.
 */
export function projectTokenRoutes(authenticator: Authenticator): Route[] {
  return [
    route('POST', '/api/v1/projects/{project}/roles/{role}/token', {
      summary: 'Create a token of a project role. It is returned only once.',
      tag: TAG,
      access: ROLE,
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
      access: ROLE,
      query: { id: text('', { maxLength: 256 }) },
      handle: async (context) => {
        const {
          path: { project, role, iat },
          query: { id = '' },
        } = context;
        const isMeant = (token: ProjectToken): boolean =>
          id === '' ? String(token.issuedAt) === iat : token.id === id;
        // One that is not there is as good as deleted.
        await changeTokens(context, project, role, (tokens) => tokens.filter((token) => !isMeant(token)));
        return json({});
      },
    }),
  ];
}

/** Decided and written conditionally; asked again where somebody else wrote meanwhile. */
async function changeTokens(
  { services, authoriser }: Pick<Context, 'services' | 'authoriser'>,
  name: string,
  role: string,
  change: (tokens: readonly ProjectToken[]) => readonly ProjectToken[],
): Promise<void> {
  for (let tried = 1; ; tried++) {
    const live = await services.cluster.get(APP_PROJECTS, { namespace: services.namespace, name });
    if (live === undefined) throw new ApiError('NotFound', `appprojects.argoproj.io "${name}" not found`);
    const roles = projectRoles(live);
    if (!roles.roles.some((each) => each.name === role))
      throw new ApiError('NotFound', `project '${name}' does not have role '${role}'`);
    try {
      await authoriser.update(tokensOf(role), live, withTokens(live, role, change(roles.tokens(role))));
      return;
    } catch (error) {
      if (!(error instanceof ClusterError && error.isConflict) || tried >= MAX_ATTEMPTS) throw error;
    }
  }
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
