"""What an author of pods may try from within: each function gives what it got hold of, or nothing.

    escape-attempts.py GIVEN     (JSON: files of the machine outside, a port, socket names, process ids)

Prints one JSON object: what each attempt got, by its name.
"""
import ctypes
import glob
import json
import os
import signal
import socket
import struct
import subprocess
import sys

GIVEN = json.loads(sys.argv[1])
X64 = os.uname().machine == 'x86_64'
LIBC = ctypes.CDLL(None, use_errno=True)
CANARY = GIVEN['canary']
ATTEMPTS = {}


def attempt(function):
    ATTEMPTS[function.__name__] = function
    return function


def call(x64, arm64, *arguments):
    """A system call by its number; what it gave, or nothing where it was refused."""
    number = x64 if X64 else arm64
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(word) if isinstance(word, int) else word for word in arguments])
    return None if result < 0 else 'system call %d gave %d' % (number, result)


def in_child(act):
    """For what ends the process, or changes it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            found = act()
            os.write(write, (found or '').encode()[:200])
        except BaseException:
            pass
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(pid, 0)
    found = os.read(read, 200).decode(errors='replace')
    os.close(read)
    return found or None


def reached(address, family=socket.AF_INET, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as connection:
        connection.settimeout(1)
        connection.connect(address)
        return 'connected to %s' % (address,)


def read(path):
    with open(path, 'rb') as file:
        return '%s has %d bytes' % (path, len(file.read(64)))


def written(path):
    with open(path, 'ab') as file:
        file.write(b'x')
    return 'wrote to %s' % path


for index, path in enumerate(GIVEN['files']):
    ATTEMPTS['read_file_%d' % index] = lambda path=path: read(path)
    ATTEMPTS['write_file_%d' % index] = lambda path=path: written(path)
    ATTEMPTS['read_file_by_link_%d' % index] = lambda path=path: (os.path.lexists('/tmp/l%s' % os.getpid()) and os.unlink('/tmp/l%s' % os.getpid()), os.symlink(path, '/tmp/l%s' % os.getpid()), read('/tmp/l%s' % os.getpid()))[2]


@attempt
def shadow():
    return read('/etc/shadow')


@attempt
def write_programs():
    return written('/usr/bin/argosy-was-here')


@attempt
def write_settings():
    return written('/etc/passwd')


@attempt
def roots_of_processes():
    for root in glob.glob('/proc/[0-9]*/root') + glob.glob('/proc/[0-9]*/cwd'):
        for path in GIVEN['files']:
            if os.path.exists(root + path):
                return root + path


@attempt
def processes_outside():
    programs = [open(path, 'rb').read().split(b'\0')[0] for path in glob.glob('/proc/[0-9]*/cmdline')]
    return next((str(program) for program in programs if b'node' in program), None)


@attempt
def first_process_memory():
    with open('/proc/1/mem', 'r+b', buffering=0) as memory:
        start = int(open('/proc/1/maps').read().split('-')[0], 16)
        memory.seek(start)
        if open('/proc/1/status').read().find('Seccomp:\t2') < 0:
            return 'the first process has no filter'


@attempt
def kernel_settings():
    return written('/proc/sys/kernel/core_pattern')


@attempt
def system_request():
    if os.access('/proc/sysrq-trigger', os.W_OK):
        return 'may write to sysrq-trigger'


@attempt
def devices():
    for name, numbers in {'mem': (1, 1), 'kmsg': (1, 11), 'disk': (254, 0), 'sda': (8, 0)}.items():
        for path in ('/dev/' + name, '/tmp/device-' + name):
            try:
                if path.startswith('/tmp'):
                    os.mknod(path, 0o600 | (0o060000 if name in ('disk', 'sda') else 0o020000), os.makedev(*numbers))
                with open(path, 'rb') as device:
                    device.read(1)
                return path
            except OSError:
                pass


@attempt
def mount():
    return None if LIBC.mount(b'none', b'/tmp', b'tmpfs', 0, None) != 0 else 'mounted a tmpfs'


@attempt
def remount():
    return None if LIBC.mount(None, b'/usr', None, 32 | 4096, None) != 0 else 'remounted /usr'


@attempt
def mount_again():
    return None if LIBC.mount(b'proc', b'/tmp', b'proc', 0, None) != 0 else 'mounted /proc'


@attempt
def unmount():
    return None if LIBC.umount2(b'/etc/passwd', 2) != 0 else 'unmounted'


@attempt
def user_namespace():
    return in_child(lambda: None if LIBC.unshare(0x10000000) != 0 else 'a user namespace')


@attempt
def mount_namespace():
    return in_child(lambda: None if LIBC.unshare(0x20000) != 0 else 'a mount namespace')


@attempt
def network_namespace():
    return in_child(lambda: None if LIBC.unshare(0x40000000) != 0 else 'a network namespace')


@attempt
def clone_with_namespace():
    def act():
        number = 56 if X64 else 220
        pid = LIBC.syscall(number, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        return None if pid < 0 else 'clone with a user namespace'
    return in_child(act)


@attempt
def clone3():
    return in_child(lambda: call(435, 435, ctypes.create_string_buffer(88), 88))


@attempt
def join_namespaces():
    for path in glob.glob('/proc/*/ns/*'):
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        if LIBC.setns(descriptor, 0) == 0:
            return path
        os.close(descriptor)


@attempt
def change_root():
    return in_child(lambda: (os.chroot('/tmp'), 'chroot')[1])


@attempt
def pivot_root():
    return call(155, 41, b'/tmp', b'/tmp')


@attempt
def trace():
    return in_child(lambda: None if LIBC.ptrace(0, 0, 0, 0) != 0 else 'ptrace')


@attempt
def read_memory_of_others():
    return call(310, 270, 1, 0, 0, 0, 0, 0)


@attempt
def take_descriptor_of_others():
    return call(438, 438, 0, 0, 0)


@attempt
def programs_for_the_kernel():
    return call(321, 280, 0, ctypes.create_string_buffer(128), 128)


@attempt
def performance_events():
    return call(298, 241, ctypes.create_string_buffer(struct.pack('II', 1, 112) + bytes(112)), 0, -1, -1, 0)


@attempt
def page_faults():
    return call(323, 282, 1)


@attempt
def rings():
    return call(425, 425, 8, ctypes.create_string_buffer(120))


@attempt
def keys():
    return call(248, 217, b'user', b'argosy', b'x', 1, -3) or call(250, 219, 0, -3, 1)


@attempt
def open_by_handle():
    return call(304, 265, -100, ctypes.create_string_buffer(64), 0) or call(303, 264, -100, b'/usr', ctypes.create_string_buffer(struct.pack('II', 128, 0) + bytes(128)), ctypes.create_string_buffer(4), 0)


@attempt
def new_mounts():
    return call(430, 430, b'tmpfs', 0) or call(428, 428, -100, b'/', 1) or call(433, 433, -100, b'/', 0)


@attempt
def modules():
    return call(175, 105, ctypes.create_string_buffer(16), 16, b'') or call(313, 273, 0, b'', 0)


@attempt
def another_kernel():
    return call(246, 104, 0, 0, 0, 0) or call(320, 294, -1, -1, 0, b'', 0)


@attempt
def clock():
    return call(164, 170, ctypes.create_string_buffer(struct.pack('qq', 1, 0)), 0) or call(227, 112, 0, ctypes.create_string_buffer(struct.pack('qq', 1, 0)))


@attempt
def swap():
    return call(167, 224, b'/tmp/swap', 0)


@attempt
def host_name():
    return call(170, 161, b'argosy', 6)


@attempt
def kernel_log():
    return call(103, 116, 3, ctypes.create_string_buffer(64), 64)


@attempt
def calls_of_x32():
    if not X64:
        return None
    return in_child(lambda: call(0x40000000 + 39, 0))


@attempt
def terminal_input():
    import fcntl
    import pty
    ends = pty.openpty()
    try:
        fcntl.ioctl(ends[1], 0x5412, b'x')
        return 'typed into a terminal'
    finally:
        for end in ends:
            os.close(end)


@attempt
def become_root():
    with open('/proc/self/status') as file:
        status = dict(line.rstrip().split(':\t', 1) for line in file if ':\t' in line)
    if any(int(status[name], 16) for name in ('CapPrm', 'CapEff', 'CapBnd', 'CapInh', 'CapAmb')):
        return 'has capabilities'
    if status['NoNewPrivs'] != '1' or status['Seccomp'] != '2':
        return 'NoNewPrivs %s, Seccomp %s' % (status['NoNewPrivs'], status['Seccomp'])


@attempt
def user_of_the_server():
    _, outside, count = open('/proc/self/uid_map').read().split()
    if int(outside) == GIVEN['user'] or int(count) != 1:
        return 'user %s of the machine' % outside


@attempt
def groups_of_the_server():
    _, outside, count = open('/proc/self/gid_map').read().split()
    if int(outside) == 0 or int(count) != 1 or [group for group in os.getgroups() if group not in (0, 65534)]:
        return 'groups %s' % os.getgroups()


@attempt
def programs_with_rights():
    for program in ('/usr/bin/su', '/usr/bin/mount', '/usr/bin/newgrp', '/usr/bin/chsh'):
        if os.path.exists(program):
            seen = subprocess.run(['sh', '-c', 'exec 3<>/dev/null; %s --version >/dev/null 2>&1; grep CapEff /proc/self/status' % program], capture_output=True, text=True).stdout
            if int(seen.split()[1], 16):
                return program


@attempt
def open_descriptors():
    here = os.open('/proc/self/fd', os.O_RDONLY)
    for name in os.listdir(here):
        try:
            target = os.readlink('/proc/self/fd/%s' % name)
        except OSError:
            continue
        if int(name) > 2 and int(name) != here and target != '/dev/null':
            return '%s is %s' % (name, target)


@attempt
def signal_processes_outside():
    for pid in GIVEN['pids']:
        try:
            os.kill(pid, 0)
            if os.path.exists('/proc/%d' % pid) and b'node' in open('/proc/%d/cmdline' % pid, 'rb').read():
                return 'process %d' % pid
        except OSError:
            pass


@attempt
def control_groups():
    return next((path for path in glob.glob('/sys/fs/cgroup/**', recursive=True) if os.access(path, os.W_OK) and path != '/sys/fs/cgroup/'), None)


@attempt
def shared_memory():
    LIBC.shmget.restype = ctypes.c_int
    found = LIBC.shmget(GIVEN['shm'], 0, 0)
    return None if found < 0 else 'shared memory of the machine'


@attempt
def service_of_the_machine():
    return reached(('127.0.0.1', GIVEN['port']))


@attempt
def service_at_every_loopback_address():
    return reached(('127.7.7.7', GIVEN['port']))


@attempt
def service_of_the_machine_by_ipv6():
    return reached(('::1', GIVEN['port']), socket.AF_INET6)


@attempt
def addresses_of_the_machine():
    for address in GIVEN['addresses']:
        try:
            return reached((address, GIVEN['port']))
        except OSError:
            pass


@attempt
def metadata_service():
    return reached(('169.254.169.254', 80))


@attempt
def metadata_service_by_ipv6():
    return reached(('fd00:ec2::254', 80), socket.AF_INET6)


@attempt
def the_internet():
    return reached(('1.1.1.1', 53))


@attempt
def names_of_the_internet():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(1)
        connection.sendto(b'x', ('8.8.8.8', 53))
        return 'sent a datagram'


@attempt
def abstract_socket():
    return reached('\0' + GIVEN['abstract'], socket.AF_UNIX)


@attempt
def socket_in_a_folder():
    return reached(GIVEN['socket'], socket.AF_UNIX)


@attempt
def sockets_of_services():
    for path in ('/run/docker.sock', '/var/run/docker.sock', '/run/containerd/containerd.sock', '/run/systemd/private', '/run/dbus/system_bus_socket'):
        try:
            return reached(path, socket.AF_UNIX)
        except OSError:
            pass


@attempt
def socket_of_the_hypervisor():
    with socket.socket(40, socket.SOCK_STREAM) as connection:
        return 'AF_VSOCK'


@attempt
def raw_packets():
    with socket.socket(17, socket.SOCK_RAW, 0x0300):
        return 'AF_PACKET'


@attempt
def raw_addresses():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, 1):
        return 'raw socket'


@attempt
def ciphers_of_the_kernel():
    with socket.socket(38, 5, 0):
        return 'AF_ALG'


@attempt
def rules_of_the_network():
    with socket.socket(16, 3, 12):
        return 'netfilter'


@attempt
def other_interfaces():
    names = [name for _, name in socket.if_nameindex() if name != 'lo']
    return 'interfaces %s' % names if names and any(int(open('/sys/class/net/%s/flags' % name).read(), 16) & 1 for name in names if os.path.exists('/sys/class/net/' + name)) else None


def main():
    results = {}
    for name, function in ATTEMPTS.items():
        try:
            results[name] = function()
        except Exception:
            results[name] = None
    print(CANARY + json.dumps(results), flush=True)


if __name__ == '__main__':
    main()
