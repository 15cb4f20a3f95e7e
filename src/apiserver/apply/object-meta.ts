import type { Schema } from '../../model/kubernetes/index.js';

const TEXT: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const INTEGER: Schema = { type: 'integer', format: 'int64' };
const FLAG: Schema = { type: 'boolean' };
const TEXT_MAP: Schema = { type: 'object', additionalProperties: TEXT };

const OWNER_REFERENCE: Schema = {
  type: 'object',
  mapType: 'atomic',
  properties: new Map([
    ['apiVersion', TEXT],
    ['kind', TEXT],
    ['name', TEXT],
    ['uid', TEXT],
    ['controller', FLAG],
    ['blockOwnerDeletion', FLAG],
  ]),
};

/** The metadata of a custom resource, whose own schema says nothing of it. */
export const OBJECT_META: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['annotations', TEXT_MAP],
    ['creationTimestamp', TIME],
    ['deletionGracePeriodSeconds', INTEGER],
    ['deletionTimestamp', TIME],
    ['finalizers', { type: 'array', items: TEXT, listType: 'set' }],
    ['generateName', TEXT],
    ['generation', INTEGER],
    ['labels', TEXT_MAP],
    ['managedFields', { type: 'array', listType: 'atomic', items: { type: 'object' } }],
    ['name', TEXT],
    ['namespace', TEXT],
    ['ownerReferences', { type: 'array', listType: 'map', listMapKeys: ['uid'], items: OWNER_REFERENCE }],
    ['resourceVersion', TEXT],
    ['selfLink', TEXT],
    ['uid', TEXT],
  ]),
};
