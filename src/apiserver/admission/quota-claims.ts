import {
  compareQuantities,
  quantityOf,
  quantityValue,
  type KubeObject,
  type Quantity,
} from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';
import { amountsAt } from './amounts.js';
import { meets, type Measure } from './quota-measure.js';
import { classOfClaim } from './storage.js';

const ONE = quantityOf(1);

export function claimMeasure(claim: KubeObject): Measure {
  const usage = new Map<string, Quantity>([
    ['persistentvolumeclaims', ONE],
    ['count/persistentvolumeclaims', ONE],
  ]);
  const storage = storageOf(claim);
  if (storage !== undefined) usage.set('requests.storage', storage);
  const name = classOfClaim(claim);
  if (name !== '') {
    usage.set(`${name}.storageclass.storage.k8s.io/persistentvolumeclaims`, ONE);
    if (storage !== undefined) usage.set(`${name}.storageclass.storage.k8s.io/requests.storage`, storage);
  }
  const classes = attributesClasses(claim);
  return {
    usage: () => usage,
    matches: (scope) =>
      scope.scope === 'VolumeAttributesClass' &&
      (classes.length === 0 ? meets('', scope) : classes.some((each) => meets(each, scope))),
  };
}

/** What is asked for, or more where an expansion was already granted more; whole bytes. */
function storageOf(claim: KubeObject): Quantity | undefined {
  const asked = amountsAt(claim, 'spec.resources.requests').get('storage');
  if (asked === undefined) return undefined;
  const granted = amountsAt(claim, 'status.allocatedResources').get('storage');
  const larger = granted !== undefined && compareQuantities(granted, asked) > 0 ? granted : asked;
  const whole = quantityOf(quantityValue(larger), larger.format);
  return compareQuantities(whole, larger) === 0 ? larger : whole;
}

function attributesClasses(claim: KubeObject): string[] {
  return [
    text(maybe(claim, 'spec'), 'volumeAttributesClassName'),
    text(maybe(claim, 'status'), 'currentVolumeAttributesClassName'),
    text(maybe(claim, 'status.modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
}
