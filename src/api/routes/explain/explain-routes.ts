import { sourcesOf } from '../../../model/argo/index.js';
import { textAt } from '../../../model/json/index.js';
import type { Explanation, CauseView } from '../../../model/api/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { EVERY_APPLICATION } from '../../access/index.js';
import { visibleTo } from '../../causes/index.js';
import { json } from '../../http/index.js';
import { route, type Route, fields, text } from '../../route/index.js';
import { APPLICATION_PARAMETERS } from '../applications/parameters.js';

const GET = { resource: 'applications', action: 'get', object: 'application' } as const;
const TAG = 'explain';

export const EXPLAIN_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications/{name}/explain', {
    summary: 'Why an application is unhealthy or out of sync, with root causes.',
    tag: TAG,
    access: GET,
    query: APPLICATION_PARAMETERS,
    handle: async ({ application, services, authoriser, server: { triage } }) => {
      const [reasons, { causes, isSearched }] = await Promise.all([
        services.inspections.reasons(application),
        triage.causesOf(application),
      ]);
      const filter = await visibleTo(authoriser, services, causes);
      const visible = causes.flatMap((cause) => filter.view(cause) ?? []);
      const answer: Explanation = {
        reasons: [...reasons, ...hiddenCauses(causes.length - visible.length)],
        causes: visible.map((cause) => withOwnPatches(cause, application)),
        isSearched,
      };
      return json(answer);
    },
  }),
  route('GET', '/api/v1/applications/{name}/waves', {
    summary: 'What a sync would do, wave by wave, and what each wave waits for.',
    tag: TAG,
    access: GET,
    query: { ...APPLICATION_PARAMETERS, revision: text() },
    handle: async ({ application, services, query: { revision = '' } }) =>
      json(await services.inspections.waves(application, revision === '' ? {} : { revisions: [revision] })),
  }),
  route('GET', '/api/v1/applications/{name}/drift', {
    summary: 'Each field that differs from git, with its owner and what to do about it.',
    tag: TAG,
    access: GET,
    query: APPLICATION_PARAMETERS,
    handle: async ({ application, services }) => json(await services.inspections.drift(application)),
  }),
  route('GET', '/api/v1/applications/{name}/values', {
    summary: 'Values of its charts, each with the file and line that set it and those it overrides.',
    tag: TAG,
    access: GET,
    query: APPLICATION_PARAMETERS,
    handle: async ({ application, services }) => json(await services.inspections.values(application)),
  }),
  route('GET', '/api/v1/triage', {
    summary: 'Root causes of everything that is unhealthy, in the order to fix them.',
    tag: TAG,
    access: { kind: EVERY_APPLICATION, action: 'get', describe: () => undefined },
    handle: async ({ server }) => json(await server.triage.response()),
  }),
  route('POST', '/api/v1/health/eval', {
    changes: false,
    summary: 'Evaluate a health check in Lua, or the catalogue, on an object, and lint the check.',
    tag: TAG,
    access: 'signed-in',
    bodyLimit: 1024 * 1024,
    body: fields({
      object: text('The object, as YAML or JSON.'),
      lua: text('The check; without one the catalogue is used.'),
    }),
    handle: async ({ body: { object = '', lua = '' }, server }) => json(await server.triage.assess(object, lua)),
  }),
];

/** That there is more than may be shown, and who sees it. */
function hiddenCauses(count: number): string[] {
  if (count === 0) return [];
  const causes = count === 1 ? '1 cause lies' : `${count} causes lie`;
  return [`${causes} in objects that you may not see: ask somebody who may get all applications`];
}

/** A reader of an application may see the files of its own repositories, not those of others. */
function withOwnPatches(cause: CauseView, application: KubeObject): CauseView {
  const own = new Set(sourcesOf(application).map((source) => textAt(source, 'repoURL')));
  const patches = cause.patches.filter(({ repository }) => own.has(repository));
  return patches.length === cause.patches.length ? cause : { ...cause, patches, proof: [] };
}
