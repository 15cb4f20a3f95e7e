/**
 * The sorting of Go's sort.Sort: a quicksort that defeats bad patterns. It is not stable, and scripts can see in which
 * order equal elements end and which pairs are compared, so the same decisions are taken here. Terminates for any
 * order, also a contradictory one.
 */
type Less<T> = (a: T, b: T) => boolean;

const INSERTION = 12;
const NINTHER = 50;

export function sortInPlace<T>(list: T[], less: Less<T>): void {
  const sorter = new Sorter(list, less);
  sorter.sort(0, list.length, list.length === 0 ? 0 : 32 - Math.clz32(list.length));
}

interface Pivot {
  readonly at: number;
  readonly hint: 'increasing' | 'decreasing' | 'unknown';
}

class Sorter<T> {
  private exchanges = 0;

  constructor(
    private readonly list: T[],
    private readonly lessValue: Less<T>,
  ) {}

  private less(i: number, j: number): boolean {
    // Indexes are always in range; the order function may have cut the list short, then nil is compared.
    return this.lessValue(this.list[i] as T, this.list[j] as T);
  }

  private swap(i: number, j: number): void {
    const { list } = this;
    const kept = list[i] as T;
    list[i] = list[j] as T;
    list[j] = kept;
  }

  /** Sorts from a up to b; `badLeft` is how many unbalanced cuts are allowed before heap sort takes over. */
  sort(from: number, to: number, badLeft: number): void {
    let a = from;
    let b = to;
    let left = badLeft;
    let isBalanced = true;
    let isPartitioned = true;
    for (;;) {
      const length = b - a;
      if (length <= INSERTION) return this.insertionSort(a, b);
      if (left === 0) return this.heapSort(a, b);
      if (!isBalanced) {
        this.scatter(a, b);
        left--;
      }
      const pivot = this.preparePivot(a, b);
      if (isBalanced && isPartitioned && pivot.hint === 'increasing' && this.finishNearlySorted(a, b)) return;
      // Nothing is smaller than the pivot: take out everything equal to it.
      if (a > 0 && !this.less(a - 1, pivot.at)) {
        a = this.splitEqual(a, b, pivot.at);
        continue;
      }
      const { middle, wasSplit } = this.split(a, b, pivot.at);
      isPartitioned = wasSplit;
      const lower = middle - a;
      const upper = b - middle;
      isBalanced = Math.min(lower, upper) >= Math.floor(length / 8);
      if (lower < upper) {
        this.sort(a, middle, left);
        a = middle + 1;
      } else {
        this.sort(middle + 1, b, left);
        b = middle;
      }
    }
  }

  private preparePivot(a: number, b: number): Pivot {
    const pivot = this.choosePivot(a, b);
    if (pivot.hint !== 'decreasing') return pivot;
    for (let i = a, j = b - 1; i < j; i++, j--) this.swap(i, j);
    return { at: b - 1 - (pivot.at - a), hint: 'increasing' };
  }

  private insertionSort(a: number, b: number): void {
    for (let i = a + 1; i < b; i++) for (let j = i; j > a && this.less(j, j - 1); j--) this.swap(j, j - 1);
  }

  private heapSort(a: number, b: number): void {
    const size = b - a;
    for (let root = (size - 1) >> 1; root >= 0; root--) this.sink(root, size, a);
    for (let end = size - 1; end >= 0; end--) {
      this.swap(a, a + end);
      this.sink(0, end, a);
    }
  }

  private sink(start: number, size: number, first: number): void {
    for (let root = start; ; ) {
      let child = 2 * root + 1;
      if (child >= size) return;
      if (child + 1 < size && this.less(first + child, first + child + 1)) child++;
      if (!this.less(first + root, first + child)) return;
      this.swap(first + root, first + child);
      root = child;
    }
  }

  /** Smaller than the pivot to the left, the rest to the right. `wasSplit` says that nothing had to move. */
  private split(a: number, b: number, pivot: number): { readonly middle: number; readonly wasSplit: boolean } {
    this.swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    for (let moved = false; ; moved = true) {
      while (i <= j && this.less(i, a)) i++;
      while (i <= j && !this.less(j, a)) j--;
      if (i > j) {
        this.swap(j, a);
        return { middle: j, wasSplit: !moved };
      }
      this.swap(i++, j--);
    }
  }

  private splitEqual(a: number, b: number, pivot: number): number {
    this.swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    for (;;) {
      while (i <= j && !this.less(a, i)) i++;
      while (i <= j && this.less(a, j)) j--;
      if (i > j) return i;
      this.swap(i++, j--);
    }
  }

  /** Repairs at most five places that are out of order; true if the range is sorted then. */
  private finishNearlySorted(a: number, b: number): boolean {
    let i = a + 1;
    for (let repairs = 0; repairs < 5; repairs++) {
      while (i < b && !this.less(i, i - 1)) i++;
      if (i === b) return true;
      if (b - a < NINTHER) return false;
      this.swap(i, i - 1);
      if (i - a >= 2) for (let j = i - 1; j >= 1 && this.less(j, j - 1); j--) this.swap(j, j - 1);
      if (b - i >= 2) for (let j = i + 1; j < b && this.less(j, j - 1); j++) this.swap(j, j - 1);
    }
    return false;
  }

  /** Moves three elements near the middle to places that only depend on the length. */
  private scatter(a: number, b: number): void {
    const length = b - a;
    if (length < 8) return;
    let random = BigInt(length);
    const mask = 2n ** BigInt(32 - Math.clz32(length)) - 1n;
    const middle = a + (length >> 2) * 2;
    for (let at = middle - 1; at <= middle + 1; at++) {
      random = BigInt.asUintN(64, random ^ (random << 13n));
      random ^= random >> 7n;
      random = BigInt.asUintN(64, random ^ (random << 17n));
      const other = Number(random & mask);
      this.swap(at, a + (other >= length ? other - length : other));
    }
  }

  private choosePivot(a: number, b: number): Pivot {
    const length = b - a;
    const quarter = length >> 2;
    let [i, j, k] = [a + quarter, a + quarter * 2, a + quarter * 3];
    this.exchanges = 0;
    if (length >= 8) {
      if (length >= NINTHER) {
        i = this.median(i - 1, i, i + 1);
        j = this.median(j - 1, j, j + 1);
        k = this.median(k - 1, k, k + 1);
      }
      j = this.median(i, j, k);
    }
    return { at: j, hint: hintOf(this.exchanges) };
  }

  private median(a: number, b: number, c: number): number {
    const [low, high] = this.ordered(a, b);
    const [middle] = this.ordered(high, c);
    return this.ordered(low, middle)[1];
  }

  private ordered(a: number, b: number): readonly [number, number] {
    if (!this.less(b, a)) return [a, b];
    this.exchanges++;
    return [b, a];
  }
}

function hintOf(exchanges: number): Pivot['hint'] {
  if (exchanges === 0) return 'increasing';
  return exchanges === 12 ? 'decreasing' : 'unknown';
}
