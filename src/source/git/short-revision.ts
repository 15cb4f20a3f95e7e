import { Fault } from '../../model/faults/index.js';
import type { RepositoryAccess } from '../access/index.js';
import { maskUrl } from '../common/index.js';
import type { Mirror } from './mirror.js';

/** The one commit whose id begins so. The server is asked where the mirror knows none. */
export async function findShort(mirror: Mirror, access: RepositoryAccess, prefix: string): Promise<string> {
  let found = await mirror.commitsWith(prefix);
  if (found.length === 0) {
    await mirror.fetch(access);
    found = await mirror.commitsWith(prefix);
  }
  const [only, second] = found;
  const where = maskUrl(mirror.address.url);
  if (only === undefined)
    throw new Fault(
      'REVISION_UNKNOWN',
      `unable to resolve '${prefix}' to a commit SHA: no branch, tag or commit has that name`,
      { where },
    );
  if (second !== undefined)
    throw new Fault(
      'REVISION_UNKNOWN',
      `'${prefix}' is the beginning of ${found.length} commits: ${found.slice(0, 3).join(', ')}`,
      { where },
    );
  return only;
}
