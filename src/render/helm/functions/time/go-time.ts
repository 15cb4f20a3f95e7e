import { DAY_NAMES, formatDuration, MONTH_NAMES, unixTime } from '../../../../model/formats/index.js';
import type { GoMethod } from '../../template/value/go-function.js';
import { BOOL, INT, INT64, STRING, type GoType } from '../../template/value/go-type.js';
import { functionError } from '../../template/template-error.js';
import { GoScalar, GoStringer, type GoValue } from '../../template/value/go-value.js';
import { dayOfYear, formatLayout, localTime, type LocalTime } from './format.js';
import { localOffset } from './parse.js';
import { UTC, type Zone } from './zone.js';

const SECOND = 1_000_000_000n;
const RFC3339_NANO = '2006-01-02T15:04:05.999999999Z07:00';

const TIME_METHODS = new Map<string, GoMethod>();
export const TIME: GoType = { name: 'time.Time', kind: 'struct', fields: [], methods: TIME_METHODS };

/** A time.Time. */
export class GoTime extends GoStringer {
  readonly type = TIME;

  /** `isMeasured`: read from the clock, so that Go prints the reading of the monotonic clock behind it. */
  constructor(
    readonly unix: number,
    readonly nanoseconds: number,
    readonly zone: Zone,
    readonly isMeasured = false,
  ) {
    super();
  }

  static of(nanoseconds: bigint, zone: Zone, isMeasured = false): GoTime {
    const rest = ((nanoseconds % SECOND) + SECOND) % SECOND;
    return new GoTime(Number((nanoseconds - rest) / SECOND), Number(rest), zone, isMeasured);
  }

  static readonly zero = new GoTime(-62_135_596_800, 0, UTC);

  /** Nanoseconds since 1970. */
  get total(): bigint {
    return BigInt(this.unix) * SECOND + BigInt(this.nanoseconds);
  }

  get local(): LocalTime {
    return localTime(this.unix, this.nanoseconds, this.zone.at(this.unix));
  }

  override text(): string {
    const text = this.format('2006-01-02 15:04:05.999999999 -0700 MST');
    return this.isMeasured ? `${text} m=+0.000000001` : text;
  }

  /** Its fields are compared: the reading of the clock and the zone count, not only the moment. */
  override isSame(other: GoStringer): boolean {
    return (
      other instanceof GoTime &&
      this.total === other.total &&
      this.zone === other.zone &&
      this.isMeasured === other.isMeasured
    );
  }

  format(layout: string): string {
    return formatLayout(this.local, layout);
  }

  json(): string {
    const { year } = this.local.civil;
    if (year < 0 || year > 9999)
      throw functionError(
        'json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]',
      );
    return this.format(RFC3339_NANO);
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.unix, this.nanoseconds, zone, this.isMeasured);
  }

  add(nanoseconds: bigint): GoTime {
    return GoTime.of(this.total + nanoseconds, this.zone, this.isMeasured);
  }

  /** The length of time since another moment, cut to what an int64 holds. */
  since(other: GoTime): bigint {
    const distance = this.total - other.total;
    if (distance > MAX) return MAX;
    return distance < MIN ? MIN : distance;
  }

  addDate(years: number, months: number, days: number): GoTime {
    const { civil } = this.local;
    const local = unixTime({ ...civil, year: civil.year + years, month: civil.month + months, day: civil.day + days });
    return new GoTime(local - localOffset(this.zone, local), this.nanoseconds, this.zone);
  }
}

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** A value of a named integer type that prints as a word. */
export class GoNamedInt extends GoStringer {
  constructor(
    readonly type: GoType,
    readonly value: bigint,
    private readonly show: (value: bigint) => string,
  ) {
    super();
  }

  override text(): string {
    return this.show(this.value);
  }
}

const INT_METHODS: ReadonlyMap<string, GoMethod> = new Map([
  [
    'String',
    { parameters: [], result: STRING, call: (receiver) => (receiver instanceof GoStringer ? receiver.text() : '') },
  ],
]);
const MONTH: GoType = { name: 'time.Month', kind: 'int', methods: INT_METHODS };
const WEEKDAY: GoType = { name: 'time.Weekday', kind: 'int', methods: INT_METHODS };

function hoursOf(divisor: bigint): GoMethod {
  return {
    parameters: [],
    result: { name: 'float64', kind: 'float64' },
    call: (receiver) => (receiver instanceof GoNamedInt ? Number(receiver.value) / Number(divisor) : 0),
  };
}

function wholeOf(divisor: bigint): GoMethod {
  return {
    parameters: [],
    result: INT64,
    call: (receiver) => (receiver instanceof GoNamedInt ? receiver.value / divisor : 0n),
  };
}

const DURATION: GoType = {
  name: 'time.Duration',
  kind: 'int64',
  methods: new Map([
    ...INT_METHODS,
    ['Hours', hoursOf(3600n * SECOND)],
    ['Minutes', hoursOf(60n * SECOND)],
    ['Seconds', hoursOf(SECOND)],
    ['Milliseconds', wholeOf(1_000_000n)],
    ['Microseconds', wholeOf(1000n)],
    ['Nanoseconds', wholeOf(1n)],
  ]),
};

function durationOf(value: bigint): GoNamedInt {
  return new GoNamedInt(DURATION, value, formatDuration);
}

function timeOf(value: GoValue | undefined): GoTime {
  if (value instanceof GoTime) return value;
  throw functionError('runtime error: invalid memory address or nil pointer dereference');
}

function method(result: GoType, get: (time: GoTime) => GoValue): GoMethod {
  return { parameters: [], result, call: (receiver) => get(timeOf(receiver)) };
}

function comparison(answer: (order: number) => boolean): GoMethod {
  return {
    parameters: [TIME],
    result: BOOL,
    call: (receiver, [other]) => answer(Number(timeOf(receiver).total - timeOf(other).total)),
  };
}

function intOf(value: GoValue | undefined): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof GoNamedInt) return value.value;
  return value instanceof GoScalar && typeof value.value === 'bigint' ? value.value : 0n;
}

const CIVIL: readonly (readonly [string, (time: GoTime) => number])[] = [
  ['Year', (time) => time.local.civil.year],
  ['Day', (time) => time.local.civil.day],
  ['Hour', (time) => time.local.civil.hour],
  ['Minute', (time) => time.local.civil.minute],
  ['Second', (time) => time.local.civil.second],
  ['Nanosecond', (time) => time.nanoseconds],
  ['YearDay', (time) => dayOfYear(time.local.civil)],
];
for (const [name, get] of CIVIL)
  TIME_METHODS.set(
    name,
    method(INT, (time) => BigInt(get(time))),
  );

const UNIX: readonly (readonly [string, bigint])[] = [
  ['Unix', SECOND],
  ['UnixMilli', 1_000_000n],
  ['UnixMicro', 1000n],
  ['UnixNano', 1n],
];
for (const [name, unit] of UNIX)
  TIME_METHODS.set(
    name,
    method(INT64, (time) => BigInt.asIntN(64, floorDivided(time.total, unit))),
  );

function floorDivided(value: bigint, unit: bigint): bigint {
  return (value - (((value % unit) + unit) % unit)) / unit;
}

const OTHERS: readonly (readonly [string, GoMethod])[] = [
  [
    'Format',
    {
      parameters: [STRING],
      result: STRING,
      call: (receiver, [layout]) => timeOf(receiver).format(typeof layout === 'string' ? layout : ''),
    },
  ],
  ['String', method(STRING, (time) => time.text())],
  [
    'Month',
    method(
      MONTH,
      (time) => new GoNamedInt(MONTH, BigInt(time.local.civil.month), (value) => MONTH_NAMES[Number(value) - 1] ?? ''),
    ),
  ],
  [
    'Weekday',
    method(
      WEEKDAY,
      (time) => new GoNamedInt(WEEKDAY, BigInt(time.local.civil.weekday), (value) => DAY_NAMES[Number(value)] ?? ''),
    ),
  ],
  ['UTC', method(TIME, (time) => time.in(UTC))],
  ['Local', method(TIME, (time) => time)],
  ['IsZero', method(BOOL, (time) => time.total === GoTime.zero.total)],
  ['Before', comparison((order) => order < 0)],
  ['After', comparison((order) => order > 0)],
  ['Equal', comparison((order) => order === 0)],
  [
    'Compare',
    {
      parameters: [TIME],
      result: INT,
      call: (receiver, [other]) => BigInt(Math.sign(Number(timeOf(receiver).total - timeOf(other).total))),
    },
  ],
  [
    'Add',
    { parameters: [DURATION], result: TIME, call: (receiver, [duration]) => timeOf(receiver).add(intOf(duration)) },
  ],
  [
    'Sub',
    {
      parameters: [TIME],
      result: DURATION,
      call: (receiver, [other]) => durationOf(timeOf(receiver).since(timeOf(other))),
    },
  ],
  [
    'AddDate',
    {
      parameters: [INT, INT, INT],
      result: TIME,
      call: (receiver, [years, months, days]) =>
        timeOf(receiver).addDate(Number(intOf(years)), Number(intOf(months)), Number(intOf(days))),
    },
  ],
];
for (const [name, definition] of OTHERS) TIME_METHODS.set(name, definition);
