/** Date and clock in UTC for any second since 1970, in the proleptic Gregorian calendar as Go's time package has it. */
export interface CivilTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** As Go and C write them, from January. */
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
/** From Sunday. */
export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const DAY = 86_400;

export function civilTime(unix: number): CivilTime {
  const days = Math.floor(unix / DAY);
  const rest = unix - days * DAY;
  // Years are counted from March, so that the leap day is the last one.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}

/** Seconds since 1970. Fields may be out of their range: month 13 is January of the next year. */
export function unixTime({ year, month, day, hour, minute, second }: Omit<CivilTime, 'weekday'>): number {
  const wholeYear = year + Math.floor((month - 1) / 12);
  const wholeMonth = ((((month - 1) % 12) + 12) % 12) + 1;
  const march = wholeMonth <= 2 ? wholeYear - 1 : wholeYear;
  const era = Math.floor(march / 400);
  const yearOfEra = march - era * 400;
  const dayOfYear = Math.floor((153 * (wholeMonth > 2 ? wholeMonth - 3 : wholeMonth + 9) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * 146_097 + dayOfEra - 719_468 + day - 1) * DAY + hour * 3600 + minute * 60 + second;
}
