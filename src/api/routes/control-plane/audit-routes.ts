import { readSince } from '../../../audit/index.js';
import { AUDIT_LOG } from '../../access/index.js';
import { json } from '../../http/index.js';
import { flag, integer, route, text, type Route } from '../../route/index.js';

const MAX_LINES = 500;
const DEFAULT_LINES = 100;

/** The audit log of this server, for those who may see what everybody does. */
export const AUDIT_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/audit', {
    summary: 'The newest lines of the audit log.',
    tag: 'audit',
    access: { kind: AUDIT_LOG, action: 'get', describe: () => undefined },
    query: {
      user: text('Exactly this user.'),
      object: text('A part of the name of the object.'),
      project: text('Exactly this project.'),
      verb: text('Exactly this verb.'),
      refused: flag('Refusals alone.'),
      since: text('A duration such as 1h, or a time.'),
      before: integer('Lines before this one.', { min: 1 }),
      limit: integer('Lines at most; 100 by default.', { min: 1, max: MAX_LINES }),
    },
    handle: async ({ services, query }) => {
      const { user, object, project, verb, refused, since, before, limit = DEFAULT_LINES } = query;
      const page = await services.audit.find({
        user,
        object,
        project,
        verb,
        isRefused: refused,
        since: since === undefined ? undefined : readSince(since, services.clock.now()),
        before,
        limit,
      });
      const { lost, isFailing } = services.audit.counts;
      return json({
        items: page?.records ?? [],
        ...(page?.next === undefined ? {} : { next: page.next }),
        isKept: page !== undefined,
        isFailing,
        lost,
      });
    },
  }),
];
