import {
  compareQuantities,
  isZeroQuantity,
  quantityText,
  quantityToNumber,
  type Quantity,
} from '../../model/kubernetes/index.js';
import type { Amounts } from './amounts.js';

/** What a LimitRange bounds: one container, one pod, one claim. */
export interface Bounded {
  readonly kind: 'Container' | 'Pod' | 'PersistentVolumeClaim';
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Check = (of: Bounded, name: string, bound: Quantity) => string | undefined;

export const checkMinimum: Check = ({ kind, requests, limits }, name, bound) => {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `minimum ${name} usage per ${kind} is ${quantityText(bound)}`;
  if (request === undefined) return `${start}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${start}, but request is ${quantityText(request)}`;
  if (limit !== undefined && compareQuantities(limit, bound) < 0)
    return `${start}, but limit is ${quantityText(limit)}`;
  return undefined;
};

export const checkMaximum: Check = ({ kind, requests, limits }, name, bound) => {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `maximum ${name} usage per ${kind} is ${quantityText(bound)}`;
  if (limit === undefined) return `${start}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${start}, but limit is ${quantityText(limit)}`;
  if (request !== undefined && compareQuantities(request, bound) > 0)
    return `${start}, but request is ${quantityText(request)}`;
  return undefined;
};

/** For claims, which have no limits of their own. */
export const checkMaximumRequest: Check = ({ kind, requests }, name, bound) => {
  const request = requests.get(name);
  const start = `maximum ${name} usage per ${kind} is ${quantityText(bound)}`;
  if (request === undefined) return `${start}.  No request is specified`;
  return compareQuantities(request, bound) > 0 ? `${start}, but request is ${quantityText(request)}` : undefined;
};

export const checkRatio: Check = ({ kind, requests, limits }, name, bound) => {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `${name} max limit to request ratio per ${kind} is ${quantityText(bound)}`;
  if (request === undefined || isZeroQuantity(request)) return `${start}, but no request is specified or request is 0`;
  if (limit === undefined || isZeroQuantity(limit)) return `${start}, but no limit is specified or limit is 0`;
  const ratio = quantityToNumber(limit) / quantityToNumber(request);
  return ratio > quantityToNumber(bound) ? `${start}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};
