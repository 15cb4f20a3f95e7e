import type { FaultWorld } from './fault-world.js';
import { missingSigns } from './signs.js';

/** What a world does not show although its label says so, or shows although nothing of the label explains it. */
export function findViolations(world: FaultWorld): string[] {
  const { label } = world;
  const said = new Set(label.faults.flatMap(({ applications }) => applications));
  const seen = new Set(label.members.applications.map(({ name }) => name));
  return [
    ...label.faults.flatMap(({ fault, signs }) =>
      missingSigns(signs, world).map((sign) => `${fault}: not seen: ${JSON.stringify(sign)}`),
    ),
    ...[...said].filter((name) => !seen.has(name)).map((name) => `${name} should not be well`),
    ...label.members.applications
      .filter(({ name }) => !said.has(name))
      .map(({ name, sync, health }) => `${name} is ${sync} and ${health}, and no fault says so`),
    ...(label.faults.length > 0
      ? []
      : label.members.objects
          .filter(({ kind, name }) => !(kind === 'PersistentVolumeClaim' && name === 'scratch'))
          .map(({ kind, name, health }) => `${kind} ${name} is ${health} on a platform without a fault`)),
  ];
}
