// The software bill of materials of dist/: CycloneDX as `npm sbom` writes it from the lock file, reduced to what is
// bundled, without anything that differs between two builds of the same sources.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The text of the bill; `names` are the packages that are bundled. */
export async function billOfMaterials(root, names) {
  const { stdout } = await promisify(execFile)(
    'npm',
    // Everything that is bundled is a development dependency, which npm leaves out where NODE_ENV is production.
    ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--include=dev', '--silent'],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  ).catch((error) => {
    throw new Error(`npm sbom failed: ${error.stderr || error.message}`);
  });
  const { $schema, bomFormat, specVersion, components, dependencies } = JSON.parse(stdout);
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const product = `${name}@${version}`;
  // The version that lies in node_modules itself is bundled; the lock file may have others, for tools.
  const bundled = names.map((each) => {
    const { version: used } = JSON.parse(readFileSync(join(root, 'node_modules', each, 'package.json'), 'utf8'));
    const found = components.find((component) => component.name === each && component.version === used);
    if (found === undefined) throw new Error(`npm sbom does not know ${each} ${used}, which is bundled`);
    return found;
  });
  const refs = new Set(bundled.map((component) => component['bom-ref']));
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn.filter((other) => refs.has(other))]));
  const bill = {
    $schema,
    bomFormat,
    specVersion,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      tools: [{ vendor: 'npm', name: 'cli' }],
      component: {
        'bom-ref': product,
        type: 'application',
        name,
        version,
        description,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        licenses: [{ license: { id: license } }],
      },
    },
    components: bundled.map((component) => ({
      'bom-ref': component['bom-ref'],
      type: 'library',
      name: component.name,
      version: component.version,
      scope: 'required',
      purl: component.purl,
      hashes: component.hashes,
      licenses: component.licenses,
    })),
    dependencies: [
      { ref: product, dependsOn: needs.get(product) ?? [] },
      ...bundled.map((component) => ({
        ref: component['bom-ref'],
        dependsOn: needs.get(component['bom-ref']) ?? [],
      })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
