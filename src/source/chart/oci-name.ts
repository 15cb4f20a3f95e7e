import { Fault } from '../../model/faults/index.js';
import type { RepositoryAccess } from '../access/index.js';
import { maskUrl } from '../common/index.js';

const NAME = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** Where a chart is in a registry. */
export interface OciName {
  /** `https://host`. */
  readonly registry: string;
  readonly name: string;
}

export function ociName(url: string, chart: string, access: RepositoryAccess): OciName {
  const [, host = '', path = ''] = /^(?:oci:\/\/)?(?:[^/@]*@)?([^/]+)(?:\/(.*))?$/.exec(url.trim()) ?? [];
  const name = [path.replace(/(?<!\/)\/+$/, ''), chart].filter((part) => part !== '').join('/');
  if (!/^[a-zA-Z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(host) || !NAME.test(name))
    throw new Fault('SOURCE_INVALID', 'the address is no registry and repository (oci://host/path)', {
      where: maskUrl(url),
    });
  const server = host === 'docker.io' || host === 'index.docker.io' ? 'registry-1.docker.io' : host;
  return { registry: `${access.plainHttp === true ? 'http' : 'https'}://${server}`, name };
}
