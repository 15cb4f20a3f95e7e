import { Fault } from '../../../model/faults/index.js';
import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Logger } from '../../../model/logging/index.js';
import type { LocalClient, WatchedObject } from '../../rest/index.js';
import { NODES } from '../../../model/resources/index.js';
import { items, maybe, text } from '../../resources/index.js';
import { answerText, type ImageAnswer } from './image-answers.js';
import type { ImageReference } from './image-reference.js';
import { IMAGE_RULES, concerns, matches, readImageRules, type ImageRule } from './image-rules.js';
import { containerdOf } from '../containerd.js';
import { credentialsFor, type Credential } from './pull-secrets.js';

/** ConfigMaps with this label have rules about images in their key `rules.yaml`. */
const LABEL = 'argosy.dev/image-rules';
const KEY = 'rules.yaml';

/** The registries of the world: which images exist, and who may have them. */
export class ImageRegistries {
  readonly #rules = new Map<string, readonly ImageRule[]>();

  constructor(
    readonly client: LocalClient,
    readonly log: Logger,
  ) {}

  configMapChanged({ type, object, previous }: WatchedObject): void {
    if (
      ![object, previous].some(
        (each) => each?.metadata.labels !== undefined && own(each.metadata.labels, LABEL) !== undefined,
      )
    )
      return;
    const name = `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
    this.#rules.delete(name);
    if (type === 'DELETED' || object.metadata.labels?.[LABEL] === undefined) return;
    try {
      this.#rules.set(name, readImageRules(text(maybe(object, 'data'), KEY), KEY));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.log.warn(`kubelet: the image rules of ConfigMap ${name} are ignored`, { error });
    }
  }

  /** Why a pod cannot have an image, in the runtime's words; undefined where it can. */
  pullError(image: ImageReference, pod: KubeObject): string | undefined {
    const containerd = containerdOf(this.client.get(NODES, '', text(maybe(pod, 'spec'), 'nodeName')));
    for (const rule of [...[...this.#rules.values()].flat(), ...IMAGE_RULES]) {
      const answer = concerns(rule, image) ? this.#answer(rule, image, pod) : undefined;
      if (answer !== undefined) return answerText(answer, { image, containerd });
    }
    return undefined;
  }

  #answer(rule: ImageRule, image: ImageReference, pod: KubeObject): ImageAnswer | undefined {
    const credentials = (): Credential[] => credentialsFor(this.client, pod, image);
    if (rule.credentials !== undefined) {
      const { credentials: known } = rule;
      const given = credentials();
      if (given.length === 0) return 'unauthorized';
      if (known !== true && !given.some(({ user, password }) => known.get(user) === password))
        return 'wrongCredentials';
    }
    // Who logs in is counted apart.
    if (rule.answer === 'rateLimited' && credentials().length > 0) return undefined;
    if (rule.answer !== undefined) return rule.answer;
    if (rule.tags !== undefined && image.digest === '' && !rule.tags.some((tag) => matches(tag, image.tag)))
      return 'notFound';
    if (rule.imageStreams === true && !this.#isInStream(image)) return 'notFound';
    return undefined;
  }

  /** True as well where there are no ImageStreams at all. */
  #isInStream({ repository, tag, digest }: ImageReference): boolean {
    const of = this.client.served('image.openshift.io', 'ImageStream');
    if (of === undefined) return true;
    const [namespace = '', name = ''] = repository.split('/');
    const tags = items(maybe(this.client.get(of, namespace, name), 'status'), 'tags');
    const found = digest === '' ? tags.filter((each) => text(each, 'tag') === tag) : tags;
    return found.some((each) => items(each, 'items').some((item) => digest === '' || text(item, 'image') === digest));
  }
}
