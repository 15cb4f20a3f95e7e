import type { JsonObject } from '../../model/json/index.js';
import type { Files } from '../testing/index.js';

const MEGABYTE = 1024 * 1024;
const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
const CHART = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
/** A manifest of so many bytes, most of them a comment. */
const large = (bytes: number): string => `${OBJECT}#${'x'.repeat(bytes - OBJECT.length - 1)}`;
const many = (count: number, bytes: number, folder = ''): Files =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${folder}f${String(index).padStart(3, '0')}.yaml`, large(bytes)]),
  );

const HUGE = large(100 * MEGABYTE);

interface LargeSource {
  readonly name: string;
  readonly files: Files;
  readonly source?: JsonObject;
  /** The file that the message names. */
  readonly names: string;
}

export const LARGE_SOURCES: readonly LargeSource[] = [
  {
    name: 'one manifest of more than 10 MB',
    files: { 'a.yaml': OBJECT, 'big.yaml': large(10 * MEGABYTE + 1) },
    names: 'big.yaml',
  },
  { name: 'manifests of 10 MB together', files: many(11, MEGABYTE), names: 'f010.yaml' },
  { name: 'manifests of 100 MB together', files: many(100, MEGABYTE), names: 'f010.yaml' },
  { name: 'one file of 100 MB', files: { 'a.yaml': OBJECT, 'big.yaml': HUGE }, names: 'big.yaml' },
  {
    name: 'a values file of 100 MB',
    files: { 'Chart.yaml': CHART, 'templates/a.yaml': OBJECT, 'big.yaml': HUGE },
    source: { helm: { valueFiles: ['big.yaml'] } },
    names: 'big.yaml',
  },
  {
    name: 'a resource of 100 MB of a kustomization',
    files: { 'kustomization.yaml': 'resources: [big.yaml]', 'big.yaml': HUGE },
    names: 'big.yaml',
  },
  { name: 'a template of 100 MB', files: { 'Chart.yaml': CHART, 'templates/big.yaml': HUGE }, names: 'big.yaml' },
];

/**
 * A branch for each of them, `b` and its number; one with an ordinary application, and one whose large file is nobody's
 * concern.
 */
export function largeBranches(): Record<string, Files> {
  return {
    normal: { 'a.yaml': OBJECT },
    video: { 'app/a.yaml': OBJECT, 'video.bin': HUGE },
    ...Object.fromEntries(LARGE_SOURCES.map(({ files }, index) => [`b${index}`, files])),
  };
}
