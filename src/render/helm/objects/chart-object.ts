import type { ActiveChart } from '../chart/active-chart.js';
import type { Dependency } from '../chart/metadata.js';
import { STRING_MAP } from '../template/value/go-type.js';
import { GoMap, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';

/** `.Chart`: every field of Chart.yaml under its Go name, also those that are not set. */
export function chartObject({ metadata, isRoot }: ActiveChart): GoObject {
  return {
    Name: metadata.name,
    Home: metadata.home,
    Sources: [...metadata.sources],
    Version: metadata.version,
    Description: metadata.description,
    Keywords: [...metadata.keywords],
    Maintainers: metadata.maintainers.map(({ name, email, url }) => ({ Name: name, Email: email, URL: url })),
    Icon: metadata.icon,
    APIVersion: metadata.apiVersion,
    Condition: metadata.condition,
    Tags: metadata.tags,
    AppVersion: metadata.appVersion,
    Deprecated: metadata.deprecated,
    Annotations: annotationsOf(metadata.annotations),
    KubeVersion: metadata.kubeVersion,
    Dependencies: (metadata.dependencies ?? []).map(dependencyObject),
    Type: metadata.type,
    IsRoot: isRoot,
  };
}

function annotationsOf(annotations: ReadonlyMap<string, string> | undefined): GoValue {
  const entries: GoObject = {};
  for (const [key, value] of annotations ?? []) setEntry(entries, key, value);
  return new GoMap(STRING_MAP, entries, annotations === undefined);
}

function dependencyObject(dependency: Dependency): GoObject {
  return {
    Name: dependency.name,
    Version: dependency.version,
    Repository: dependency.repository,
    Condition: dependency.condition,
    Tags: [...dependency.tags],
    Enabled: dependency.enabled,
    ImportValues: [...dependency.importValues],
    Alias: dependency.alias,
  };
}
