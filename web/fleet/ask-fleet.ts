import type { FleetAnswer } from '../../src/model/index.js';
import { get } from '../http/client';
import type { Filter } from './fleet';

export function askFleet(filter: Filter, offset: number, limit: number): Promise<FleetAnswer> {
  return get<FleetAnswer>('/api/v1/fleet', { ...filter, sort: 'worst', offset, limit });
}
