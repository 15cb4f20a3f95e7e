import type { JsonObject } from '../../model/json/index.js';

/** Addresses as kubectl prints them, `10.1.0.4:8080,10.1.0.5:8080 + 3 more...`; none if there is none. */
export function subsetsOf(text: string): JsonObject[] {
  return text.split(/,\s*/).flatMap((each) => {
    const [, ip, port] = /^\[?([\da-fA-F.:]+?)\]?:(\d{1,5})(?: \+ \d+ more\.\.\.)?$/.exec(each.trim()) ?? [];
    return ip === undefined ? [] : [{ addresses: [{ ip }], ports: [{ port: Number(port), protocol: 'TCP' }] }];
  });
}
