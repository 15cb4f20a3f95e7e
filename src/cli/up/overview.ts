import { compareText } from '../../model/go/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { projectOf } from '../../model/argo/index.js';
import { textAt } from '../../model/json/index.js';
import { formatTable } from '../output/index.js';

const MAX_NAMES = 3;

/** One row a project: how many applications are Synced and Healthy, and which are not. */
export function formatOverview(applications: readonly KubeObject[]): string {
  const projects = [...new Set(applications.map(projectOf))].sort(compareText);
  return formatTable(
    ['PROJECT', 'APPLICATIONS', 'SYNCED', 'HEALTHY', 'UNHEALTHY OR OUT OF SYNC'],
    projects.map((project) => {
      const own = applications.filter((application) => projectOf(application) === project);
      return [
        project,
        String(own.length),
        String(own.filter(isSynced).length),
        String(own.filter(isHealthy).length),
        names(own.filter((application) => !isWell(application))),
      ];
    }),
  );
}

/** Synced and Healthy. */
export function isWell(application: KubeObject): boolean {
  return isSynced(application) && isHealthy(application);
}

function isSynced(application: KubeObject): boolean {
  return textAt(application, 'status', 'sync', 'status') === 'Synced';
}

function isHealthy(application: KubeObject): boolean {
  return textAt(application, 'status', 'health', 'status') === 'Healthy';
}

function names(applications: readonly KubeObject[]): string {
  const all = applications.map(({ metadata }) => metadata.name ?? '').sort(compareText);
  const rest = all.length - MAX_NAMES;
  return `${all.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
