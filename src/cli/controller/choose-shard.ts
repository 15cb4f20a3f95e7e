import type { Shard } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';

interface ShardFlags {
  readonly shard?: number;
  readonly shards?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Which part of the applications this process looks after: what the flags say, then the variables that Argo CD's
 * controller has too. A pod of a StatefulSet is told apart by the number at the end of its name.
 */
export function chooseShard(said: ShardFlags, environment: Environment, hostname: string): Shard | undefined {
  const count =
    said.shards ?? numberIn(environment, 'ARGOSY_SHARDS') ?? numberIn(environment, 'ARGOCD_CONTROLLER_REPLICAS') ?? 1;
  const chosen =
    said.shard ?? numberIn(environment, 'ARGOSY_SHARD') ?? numberIn(environment, 'ARGOCD_CONTROLLER_SHARD');
  if (count <= 1 && (chosen ?? 0) === 0) return undefined;
  const index = chosen ?? ordinalOf(hostname);
  if (index === undefined)
    throw new Fault(
      'VALUE_INVALID',
      `the host name ${JSON.stringify(hostname)} does not say which of the ${count} shards this process is: ` +
        `set --shard, from 0 to ${count - 1}`,
      { where: '--shard' },
    );
  if (index >= count)
    throw new Fault(
      'VALUE_INVALID',
      `shard ${index} of ${Math.max(count, 1)} does not exist: all controllers need the same --shards, each its ` +
        'own --shard from 0 on',
      { where: '--shard' },
    );
  return { index, count };
}

/** Argo CD's variables may be empty or negative, which says nothing. */
function numberIn(environment: Environment, name: string): number | undefined {
  const text = environment[name]?.trim() ?? '';
  if (text === '' || /^-\d+$/.test(text)) return undefined;
  if (!/^\d{1,4}$/.test(text))
    throw new Fault('VALUE_INVALID', `${JSON.stringify(text)} is not a number of shards`, { where: name });
  return Number(text);
}

function ordinalOf(hostname: string): number | undefined {
  const ordinal = /-(\d{1,4})$/.exec(hostname.split('.')[0] ?? '')?.[1];
  return ordinal === undefined ? undefined : Number(ordinal);
}
