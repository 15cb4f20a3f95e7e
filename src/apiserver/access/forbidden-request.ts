import { ApiError, type GroupResource } from '../errors/index.js';
import type { AccessAttributes, User } from './user.js';

/** The answer to somebody who may not do what they asked for. */
export function forbiddenRequest(user: User, asked: AccessAttributes, reason: string): ApiError {
  const because = reason === '' ? '' : `: ${reason}`;
  if (asked.path !== undefined)
    return new ApiError(
      403,
      'Forbidden',
      `forbidden: User ${JSON.stringify(user.name)} cannot ${asked.verb} path ${JSON.stringify(asked.path)}${because}`,
      {},
    );
  const of: GroupResource = { group: asked.group, resource: asked.resource };
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const scope = asked.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(asked.namespace)}`;
  const what =
    `User ${JSON.stringify(user.name)} cannot ${asked.verb} resource ${JSON.stringify(resource)} in API group ` +
    `${JSON.stringify(asked.group)} ${scope}${because}`;
  const subject = of.group === '' ? of.resource : `${of.resource}.${of.group}`;
  const named = asked.name === '' ? subject : `${subject} ${JSON.stringify(asked.name)}`;
  return new ApiError(403, 'Forbidden', `${named} is forbidden: ${what}`, {
    ...(asked.name === '' ? {} : { name: asked.name }),
    ...(of.group === '' ? {} : { group: of.group }),
    kind: of.resource,
  });
}
