import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../model/json/index.js';
import { builtinTypes } from '../../kinds/builtin-types.js';
import { Discovery, compareVersions, type DescribedType } from './discovery.js';

const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function widget(version: string, subresources: DescribedType['subresources'] = new Map()): DescribedType {
  return {
    group: 'zoo.example.com',
    version,
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
    categories: ['all'],
    namespaced: true,
    custom: true,
    verbs: CUSTOM_VERBS,
    subresources,
  };
}

const STATUS = {
  name: 'status',
  group: 'zoo.example.com',
  version: 'v1',
  kind: 'Widget',
  verbs: ['get', 'patch', 'update'],
};
const SCALE = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] };
const builtin: readonly DescribedType[] = builtinTypes().map((type) => ({
  group: type.group,
  version: type.version,
  kind: type.kind,
  listKind: type.listKind,
  plural: type.plural,
  singular: type.singular,
  shortNames: type.shortNames,
  categories: type.categories,
  namespaced: type.namespaced,
  verbs: type.verbs,
  subresources: type.subresources,
  custom: false,
}));
const catalog = {
  generation: 1,
  all: [
    ...builtin,
    widget('v1beta1'),
    widget(
      'v1',
      new Map([
        ['status', STATUS],
        ['scale', SCALE],
      ]),
    ),
  ],
};

describe('discovery', () => {
  const discovery = new Discovery(catalog);

  it('lists custom groups after the built-in ones, with the most stable version first', () => {
    const groups = discovery.groupList().groups as { name: string; preferredVersion: Json }[];
    expect(groups.at(0)?.name).toBe('apiregistration.k8s.io');
    expect(groups.at(-1)).toEqual({
      name: 'zoo.example.com',
      versions: [
        { groupVersion: 'zoo.example.com/v1', version: 'v1' },
        { groupVersion: 'zoo.example.com/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'zoo.example.com/v1', version: 'v1' },
    });
  });

  it('leaves apiVersion out of the core resource list only', () => {
    expect(discovery.resourceList('', 'v1')).not.toHaveProperty('apiVersion');
    expect(discovery.resourceList('apps', 'v1')).toMatchObject({ apiVersion: 'v1', groupVersion: 'apps/v1' });
  });

  it('writes group and version of a subresource that has another kind', () => {
    const resources = discovery.resourceList('', 'v1')?.resources as JsonObject[];
    expect(resources.find(({ name }) => name === 'pods/eviction')).toEqual({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
    expect(resources.find(({ name }) => name === 'pods/status')).toEqual({
      name: 'pods/status',
      singularName: '',
      namespaced: true,
      kind: 'Pod',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it('gives all groups at once, custom kinds with their group', () => {
    const { body, etag, contentType } = discovery.aggregated('apis', 'v2');
    expect(contentType).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const zoo = (body.items as JsonObject[]).at(-1) as unknown as { versions: { resources: JsonObject[] }[] };
    expect(zoo.versions[0]?.resources[0]).toEqual({
      resource: 'widgets',
      responseKind: { group: 'zoo.example.com', version: 'v1', kind: 'Widget' },
      scope: 'Namespaced',
      singularResource: 'widget',
      verbs: CUSTOM_VERBS,
      shortNames: ['wd'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'status',
          responseKind: { group: 'zoo.example.com', version: 'v1', kind: 'Widget' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('knows no group that is not served', () => {
    expect([discovery.group('nope'), discovery.group(''), discovery.resourceList('apps', 'v9')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('follows the catalog', () => {
    const changing = { generation: 1, all: builtin };
    const live = new Discovery(changing);
    const before = live.aggregated('apis', 'v2').etag;
    changing.all = catalog.all;
    changing.generation++;
    expect(live.group('zoo.example.com')).toBeDefined();
    expect(live.aggregated('apis', 'v2').etag).not.toBe(before);
  });

  it('orders versions by stability, then by age', () => {
    expect(
      ['foo1', 'v1alpha1', 'v1', 'v11beta2', 'v10beta3', 'v2', 'foo10', 'v12alpha1', 'v11alpha2', 'v3beta1'].sort(
        compareVersions,
      ),
    ).toEqual(['v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'v1alpha1', 'foo1', 'foo10']);
  });
});
