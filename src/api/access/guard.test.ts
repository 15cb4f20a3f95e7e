import { describe, expect, it } from 'vitest';
import type { Answer, Outlet } from '../http/answer.js';
import { NOBODY, type Access } from './access.js';
import { guarded, type Guard } from './guard.js';

/** A guard whose clock moves when it is told to, and a listener whose rights can be taken. */
class Post {
  isAllowed = true;
  isOver = false;
  isValid: boolean | 'unknown' = true;
  readonly sent: string[] = [];
  #alarms: { readonly at: number; readonly act: () => void }[] = [];
  #now = 0;

  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = this.#alarms.filter(({ at }) => at <= this.#now);
    this.#alarms = this.#alarms.filter(({ at }) => at > this.#now);
    for (const { act } of due) act();
    await new Promise((resolve) => { setImmediate(resolve); });
  }

  get alarms(): number {
    return this.#alarms.length;
  }

  /** A stream that says nothing by itself: `feed` is what it would write to. */
  open(): { readonly done: Promise<string>; readonly feed: Promise<Outlet> } {
    const access: Pick<Access, 'isStillValid' | 'isKnownToBeOver'> = { isKnownToBeOver: () => this.isOver, isStillValid: () => (this.isValid === 'unknown' ? Promise.reject(new Error('no answer')) : Promise.resolve(this.isValid)) };
    const guard: Guard = {
      subject: NOBODY, access: access as Access, isAllowed: () => this.isAllowed,
      after: (milliseconds, act) => {
        const alarm = { at: this.#now + milliseconds, act };
        this.#alarms.push(alarm);
        return () => { this.#alarms = this.#alarms.filter((each) => each !== alarm); };
      },
    };
    const outlet: Outlet = { signal: new AbortController().signal, drained: () => Promise.resolve(), send: (text) => this.sent.push(text) > 0 };
    let given: (outlet: Outlet) => void = () => undefined;
    const feed = new Promise<Outlet>((resolve) => { given = resolve; });
    const silent: Answer = {
      kind: 'stream',
      feed: (inner) => {
        given(inner);
        return new Promise<void>((resolve) => { inner.signal.addEventListener('abort', () => { resolve(); }); });
      },
    };
    const shown = guarded(silent, guard);
    const done = shown.kind === 'stream' ? shown.feed(outlet).then(() => 'ended') : Promise.reject(new Error('no stream'));
    return { done, feed };
  }
}

const state = (done: Promise<string>): Promise<string> => Promise.race([done, new Promise<string>((resolve) => { setImmediate(() => { resolve('open'); }); })]);

describe('an answer that goes on', () => {
  it.each<[string, (post: Post) => void]>([
    ['the right is taken', (post) => { post.isAllowed = false; }], ['the session is over', (post) => { post.isOver = true; }],
  ])('S30: ends at the next message when %s, and that message is not sent', async (_, take) => {
    const post = new Post();
    const { done, feed } = post.open();
    const inner = await feed;
    inner.send('before');
    take(post);
    inner.send('after');
    expect([await state(done), post.sent]).toEqual(['ended', ['before']]);
    inner.send('later');
    expect([post.sent, post.alarms]).toEqual([['before'], 0]);
  });

  it.each<[string, (post: Post) => void]>([
    ['the right is taken', (post) => { post.isAllowed = false; }], ['the session is over', (post) => { post.isOver = true; }], ['whoever knows the session does not know it any more', (post) => { post.isValid = false; }],
    ['nobody can be asked about the session', (post) => { post.isValid = 'unknown'; }],
  ])('S30: ends within 5 s although nothing is said, when %s', async (_, take) => {
    const post = new Post();
    const { done } = post.open();
    for (let look = 0; look < 30; look++) await post.pass(2000);
    expect(await state(done)).toBe('open');
    take(post);
    await post.pass(2000);
    expect(await state(done)).toBe('ended');
    expect(post.alarms).toBe(0);
  });
});
