import { isMonitoringJson } from './series-json.js';
import { isScrape } from './series-text.js';

/** monitoring: JSON of Prometheus or Alertmanager. scrape: OpenMetrics. */
export type DumpFormat = 'json' | 'yaml' | 'text' | 'monitoring' | 'scrape';

const OBJECT_LINE = /^(?:apiVersion|kind|items|metadata):(?:\s|$)/m;
const TEXT_LINE = /^(?:Name:\s|(?:NAMESPACE|NAME|LAST SEEN|POD)(?:\s{2,}|\s*$)|```)/m;
const PROMPT_IN_BRACKETS = /^\[[^\]"{]{1,80}\] ?[$#] /;
/** What somebody typed before what follows. */
const TYPED_LINE =
  /\b(?:kubectl|oc|k) (?:-\S{1,60} )?(?:[^\s-]\S{0,60} )?(?:get|describe|logs|top) \S|\bsystemctl status \S/;

/**
 * The format of a file by its beginning, whatever its name: people save output of kubectl under any name, with prompts
 * and notes around it. Undefined if unknown.
 */
export function formatOf(start: string): DumpFormat | undefined {
  if (/^\s*[[{]/.test(start) && !PROMPT_IN_BRACKETS.test(start)) return isMonitoringJson(start) ? 'monitoring' : 'json';
  if (hasControls(start)) return undefined;
  if (isScrape(start)) return 'scrape';
  const [object, text] = [
    OBJECT_LINE.exec(start)?.index ?? Infinity,
    Math.min(TEXT_LINE.exec(start)?.index ?? Infinity, TYPED_LINE.exec(start)?.index ?? Infinity),
  ];
  if (text < object) return 'text';
  return object < Infinity || /^---\s*$/m.test(start) ? 'yaml' : undefined;
}

/** A program or an archive has bytes that no text has. */
function hasControls(start: string): boolean {
  return /[\u0000-\u0008\u000e-\u001a]/.test(start);
}
