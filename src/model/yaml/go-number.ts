/** A float as Go's strconv.FormatFloat(x, 'g', -1, bits) prints it, with YAML's names for the infinities. */
export function formatFloat(value: number, bits: 32 | 64): string {
  const rounded = bits === 32 ? Math.fround(value) : value;
  if (Number.isNaN(rounded)) return '.nan';
  if (!Number.isFinite(rounded)) return rounded > 0 ? '.inf' : '-.inf';
  if (rounded === 0) return Object.is(rounded, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = (bits === 32 ? shortest32(rounded) : rounded.toExponential()).split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 6)
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  return withoutExponent(mantissa, power);
}

/** The fewest digits that still read back as the same 32-bit float. */
function shortest32(value: number): string {
  for (let digits = 0; digits < 9; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential();
}

function withoutExponent(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const rest = digits.slice(power + 1);
  return sign + whole + (rest === '' ? '' : `.${rest}`);
}
