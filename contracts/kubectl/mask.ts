const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z/g;
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const LONG_TIME = new RegExp(
  `\\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (${MONTHS}) 20\\d\\d \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}`,
  'g',
);
const GO_TIME = /\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} UTC/g;
/** Where kubectl keeps an edited file. */
const EDITED = /"\S*kubectl-edit-\d+\.yaml"/g;
const VERSION = /(resourceVersion"?: ?"|Resource Version: +|resource version to be 1, was )([1-9]\d*)/g;
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const SERVICE_IP = /\b10\.\d+\.\d+\.\d+\b/g;
const NODE_PORT = /\b3[0-2]\d{3}\b/g;
/** An age stands alone in a column, or before "ago" and "(x2 over 3s)". */
const AGE = /(^|\s{2,}|\(|over )(\d+[smhdy]){1,2}(?=\s|\)|$)/gm;
const KLOG = /^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\w+\.go):\d+\]/gm;
const DAY = 86_400_000;

/**
 * Replaces what differs from run to run, and only that. The same uid and the same resource version get the same number
 * within a topic, so that "unchanged" and "same owner" stay checked.
 */
export class TextMask {
  readonly #numbers = { uid: new Map<string, number>(), version: new Map<string, number>() };
  readonly #generated: readonly RegExp[];

  constructor(
    private readonly host: string,
    generated: readonly string[],
  ) {
    this.#generated = [...generated, 'kube-api-access-'].map((start) => new RegExp(`\\b${start}[a-z0-9]{5}\\b`, 'g'));
  }

  text(raw: string): string {
    let text = raw.replaceAll(this.host, '<host>').replace(KLOG, '$1 $2]');
    for (const name of this.#generated) text = text.replace(name, (found) => `${found.slice(0, -5)}<random>`);
    return columns(
      text
        .replace(UID, (uid) => this.#numbered('uid', uid))
        .replace(VERSION, (_, before: string, version: string) => before + this.#numbered('version', version))
        .replace(TIME, (time) => (Math.abs(Date.parse(time) - Date.now()) < DAY ? '<time>' : time))
        .replace(LONG_TIME, '<time>')
        .replace(GO_TIME, '<time>')
        .replace(EDITED, '<edited file>')
        .replace(TOKEN, '<token>')
        .replace(SERVICE_IP, '<ip>')
        .replace(NODE_PORT, '<port>')
        .replace(AGE, '$1<age>'),
    );
  }

  #numbered(word: 'uid' | 'version', value: string): string {
    const known = this.#numbers[word];
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    return `<${word} ${number}>`;
  }
}

/** kubectl pads columns to the longest value, also to one that is masked now. Indentation stays. */
function columns(text: string): string {
  return text.replace(/(?<=\S) {2,}/g, '  ').replace(/ +$/gm, '');
}
