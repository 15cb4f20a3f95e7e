import { Fault } from '../../model/faults/index.js';
import type { Need } from '../../render/index.js';

/** A local render does not go to the network: it says what to fetch. */
export function missingContent(needs: readonly Need[]): Fault {
  const charts = needs.filter((need) => need.kind === 'chart');
  if (charts.length > 0) {
    const names = charts.map(({ name }) => name).join(', ');
    const wanted = charts.map(({ name, version, repository }) => `${name} ${version} (${repository})`).join(', ');
    return new Fault(
      'CHART_INVALID',
      `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' ` +
        `to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: ${names}\n  a ` +
        `local render fetches nothing; missing are ${wanted}`,
      { where: 'Chart.yaml' },
    );
  }
  const what = needs[0] === undefined ? 'content' : needText(needs[0]);
  return new Fault('SOURCE_INVALID', `${what} is not on this machine, and a local render fetches nothing`, {
    where: what,
  });
}

function needText(need: Need): string {
  if ('address' in need) return need.address;
  return 'path' in need ? need.path : need.name;
}
