import { LoopDelay } from '../../net/loop-delay/index.js';
import type { TypeCatalog } from '../resources/index.js';
import { prefixOf } from '../rest/index.js';
import type { Store } from '../store/index.js';
import type { RequestInfo } from './request-info.js';

/** Of the process, measured from the first time that somebody asks. */
let loopDelay: LoopDelay | undefined;

/** Counts answers and objects, in the names that dashboards of the real server use. */
export class Metrics {
  readonly #requests = new Map<string, number>();

  constructor(
    readonly store: Store,
    readonly types: TypeCatalog,
  ) {}

  count(info: RequestInfo, code: number): void {
    const labels = labelsOf(info);
    const key = `${labels},code="${code}"`;
    // Paths that nobody serves would let a stranger grow this map without end.
    if (code === 404 && info.kind === 'resource' && !this.types.find(info.group, info.version, info.plural)) return;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  /** The Prometheus text of `/metrics`. */
  text(): string {
    const requests = [...this.#requests]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([labels, count]) => `apiserver_request_total{${labels}} ${count}`);
    const kept = this.types.all.filter(
      (type, index, all) =>
        type.verbs.includes('watch') && all.findIndex((other) => other.storage === type.storage) === index,
    );
    const objects = kept.map((type) => {
      const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
      return `apiserver_storage_objects{resource="${resource}"} ${this.store.count(prefixOf(type))}`;
    });
    return [
      '# TYPE apiserver_request_total counter',
      ...requests,
      '# TYPE apiserver_storage_objects gauge',
      ...objects,
      '# TYPE apiserver_store_revision gauge',
      `apiserver_store_revision ${this.store.revision}`,
      (loopDelay ??= new LoopDelay()).text().trimEnd(),
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
      '# TYPE process_cpu_seconds_total counter',
      `process_cpu_seconds_total ${(process.cpuUsage().user + process.cpuUsage().system) / 1e6}`,
      '',
    ].join('\n');
  }
}

function labelsOf(info: RequestInfo): string {
  const verb = `verb="${info.verb.toUpperCase()}"`;
  if (info.kind === 'path') return `${verb},group="",version="",resource="",subresource=""`;
  const { group, version, plural, subresource } = info;
  return `${verb},group="${group}",version="${version}",resource="${plural}",subresource="${subresource}"`;
}
