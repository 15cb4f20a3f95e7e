const DATE = /(\d{4})-(\d\d?)-(\d\d?)/.source;
const TIME = /(\d\d?):(\d\d?):(\d\d?)([.,]\d+)?/.source;
const ZONE = /(Z|[-+]\d\d:\d\d)/.source;
const FORM = new RegExp(`^${DATE}(?:[Tt]${TIME}${ZONE}| +${TIME})?$`);
const QUICK = /^\d{4}-/;

/** The RFC 3339 form of a text that go-yaml takes for a timestamp; undefined when it does not. */
export function timestampOf(text: string): string | undefined {
  if (!QUICK.test(text)) return undefined;
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const at = (zoned: number): string => match[zoned] ?? match[zoned + 5] ?? '0';
  const [, year = '', month = '', day = ''] = match;
  const [hour, minute, second] = [at(4), at(5), at(6)];
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const zone = zoneOf(match[8]);
  if (zone === undefined) return undefined;
  const fraction = (match[7] ?? match[12] ?? '').slice(1, 10).replace(/(?<!0)0+$/, '');
  const two = (number: string): string => number.padStart(2, '0');
  const time = `${two(hour)}:${two(minute)}:${two(second)}${fraction === '' ? '' : `.${fraction}`}`;
  return `${year}-${two(month)}-${two(day)}T${time}${zone}`;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

function zoneOf(text: string | undefined): string | undefined {
  if (text === undefined || text === 'Z' || text === '+00:00' || text === '-00:00') return 'Z';
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number);
  return hours > 24 || minutes > 60 ? undefined : text;
}
