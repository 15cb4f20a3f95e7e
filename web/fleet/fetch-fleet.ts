import type { FleetResponse } from '../../src/model/api/index.js';
import { get } from '../http/client';
import type { Filter } from './fleet';

export function fetchFleet(filter: Filter, offset: number, limit: number): Promise<FleetResponse> {
  return get<FleetResponse>('/api/v1/fleet', { ...filter, sort: 'worst', offset, limit });
}
