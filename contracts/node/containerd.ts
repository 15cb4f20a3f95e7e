import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../real/child.js';
import type { Sandbox } from './sandbox.js';

/** The container runtime of a node. */
export interface Containerd {
  readonly endpoint: string;
  /** Where it looks for the settings of a registry: `<host>/hosts.toml`. */
  readonly registries: string;
  child: Child;
  launch(): Promise<void>;
  importImage(archive: string): Promise<void>;
}

const SOCKET_WITHIN = 60_000;
/** Of pods; each node has it in a network of its own. */
export const POD_NETWORK = '10.88.0.0/24';

export async function startContainerd(program: string, cni: string, sandbox: Sandbox): Promise<Containerd> {
  const dir = join(sandbox.dir, 'containerd');
  const socket = join(dir, 'containerd.sock');
  const networks = join(dir, 'networks');
  for (const folder of [networks, join(dir, 'registries')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(networks, '10-pods.conflist'), JSON.stringify(network(dir)));
  const config = join(dir, 'config.toml');
  writeFileSync(config, settings(dir, cni));
  const launch = async (): Promise<Child> => {
    const child = sandbox.start(program, ['-c', config], join(sandbox.dir, 'containerd.log'));
    await listens(socket, child);
    return child;
  };
  const containerd: Containerd = {
    endpoint: `unix://${socket}`,
    registries: join(dir, 'registries'),
    child: await launch(),
    async launch() {
      containerd.child = await launch();
    },
    async importImage(archive) {
      await sandbox.run('ctr', ['-a', socket, '-n', 'k8s.io', 'image', 'import', archive]);
    },
  };
  return containerd;
}

async function listens(socket: string, child: Child): Promise<void> {
  const deadline = Date.now() + SOCKET_WITHIN;
  while (!existsSync(socket)) {
    child.assertAlive();
    if (Date.now() > deadline) throw new Error(`containerd does not listen after ${SOCKET_WITHIN / 1000} s`);
    await delay(10);
  }
}

function network(dir: string): object {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(dir, 'addresses'),
          ranges: [[{ subnet: POD_NETWORK }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/** Adjusting the score of the out-of-memory killer downwards needs a capability that few machines give. */
function settings(dir: string, cni: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${dir}/root"
state = "${dir}/state"
[grpc]
address = "${dir}/containerd.sock"
[ttrpc]
address = "${dir}/containerd.sock.ttrpc"
[${cri}]
sandbox_image = "local/pause:1"
enable_selinux = false
restrict_oom_score_adj = true
[${cri}.registry]
config_path = "${dir}/registries"
[${cri}.cni]
bin_dir = "${cni}"
conf_dir = "${dir}/networks"
[${cri}.containerd]
snapshotter = "overlayfs"
[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[${cri}.containerd.runtimes.runc.options]
SystemdCgroup = false
`;
}
