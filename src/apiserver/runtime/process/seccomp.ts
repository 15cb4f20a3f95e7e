import { constants } from 'node:os';

/** The system calls of one architecture, by what the filter says to them. */
interface Architecture {
  /** AUDIT_ARCH_ of linux/audit.h. */
  readonly audit: number;
  /** Numbers from here on belong to another way of calling the kernel, such as x32. */
  readonly end: number;
  readonly refused: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly socket: number;
  readonly ioctl: number;
}

/**
 * What no program of a pod needs and what has let others out: mounts and namespaces, other processes, keys, modules,
 * clocks, and parts of the kernel with a history of holes. By name for x86_64 and aarch64; one that an architecture has
 * not is -1.
 */
const REFUSED: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  _sysctl: [156, -1],
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  create_module: [174, -1],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, -1],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173, -1],
  iopl: [172, -1],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, -1],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, -1],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139, -1],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, -1],
  userfaultfd: [323, 282],
  ustat: [136, -1],
  vhangup: [153, 58],
};

const X32_BIT = 0x40000000;
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    end: X32_BIT,
    refused: numbers(0),
    clone: 56,
    clone3: 435,
    socket: 41,
    ioctl: 16,
  },
  arm64: {
    audit: 0xc00000b7,
    end: X32_BIT,
    refused: numbers(1),
    clone: 220,
    clone3: 435,
    socket: 198,
    ioctl: 29,
  },
};

/** The newest call that is known here to be harmless; later ones do not exist for pods. */
const LAST_KNOWN = 456;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME. */
const NEW_NAMESPACES = 0x7e020080;
/** Sockets of the file system and of the pod's own network; AF_NETLINK tells programs its interfaces. */
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];
const NETLINK_ROUTE = 0;
/** Type into a terminal as if its user did. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];

/** struct seccomp_data. */
const [NUMBER, ARCHITECTURE, ARGUMENTS] = [0, 4, 16];
/** struct sock_filter: code, and where to go on if it holds and if not, relative to the next one. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];
const [LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno;
const fail = (errno: number): number => 0x00050000 | errno;

function numbers(index: 0 | 1): number[] {
  return Object.values(REFUSED)
    .map((each) => each[index])
    .filter((each) => each >= 0);
}

/** The filter of this machine's architecture as the kernel reads it; undefined where there is none. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture];
  return known && assembled(filterFor(known));
}

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
/** The lower half of an argument: both architectures are little-endian. */
const argument = (index: number): Instruction => load(ARGUMENTS + 8 * index);
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
/** One answer for one value, and on with what follows for all others. */
const when = (value: number, result: number): Instruction[] => [[EQUAL, 0, 1, value], answer(result)];

/** Rules for one call that look at its arguments; the number is loaded before, and none falls through. */
function rulesOf(number: number, rules: readonly Instruction[]): Instruction[] {
  return [[EQUAL, 0, rules.length, number], ...rules];
}

function filterFor({ audit, end, refused, clone, clone3, socket, ioctl }: Architecture): Instruction[] {
  return [
    load(ARCHITECTURE),
    [EQUAL, 1, 0, audit],
    answer(KILL),
    load(NUMBER),
    [AT_LEAST, 0, 1, end],
    answer(KILL),
    [AT_LEAST, 0, 1, LAST_KNOWN + 1],
    answer(fail(ENOSYS)),
    ...rulesOf(clone, [argument(0), [HAS_BITS, 0, 1, NEW_NAMESPACES], answer(fail(EPERM)), answer(ALLOW)]),
    // Its flags lie where no filter can see them; libraries go back to clone.
    ...when(clone3, fail(ENOSYS)),
    ...rulesOf(socket, [
      argument(0),
      ...[AF_UNIX, AF_INET, AF_INET6].flatMap((family) => when(family, ALLOW)),
      [EQUAL, 1, 0, AF_NETLINK],
      answer(fail(EAFNOSUPPORT)),
      argument(2),
      ...when(NETLINK_ROUTE, ALLOW),
      answer(fail(EAFNOSUPPORT)),
    ]),
    ...rulesOf(ioctl, [
      argument(1),
      ...TERMINAL_REQUESTS.flatMap((request) => when(request, fail(EPERM))),
      answer(ALLOW),
    ]),
    ...refused.flatMap((number) => when(number, fail(EPERM))),
    answer(ALLOW),
  ];
}

function assembled(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(whenTrue, 8 * index + 2);
    bytes.writeUInt8(whenFalse, 8 * index + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  }
  return bytes;
}
