/** Numbers that look random and are the same for the same seed. Not for secrets. */
export class Random {
  private readonly state: [number, number, number, number];

  constructor(seed: number) {
    const low = seed >>> 0;
    const high = Math.floor(seed / 2 ** 32) >>> 0;
    this.state = [low ^ 0x9e3779b9, high ^ 0x243f6a88, 0xb7e15162, 0xdeadbeef];
    for (let i = 0; i < 16; i++) this.bits();
  }

  /** From 0 up to but not including 1, with 53 bits. */
  next(): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** 32 bits of a small fast counting generator. */
  private bits(): number {
    let [a, b, c, counter] = this.state;
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    this.state[0] = a;
    this.state[1] = b;
    this.state[2] = c;
    this.state[3] = counter;
    return sum >>> 0;
  }
}
