import { expect, it } from 'vitest';
import { fixPlace } from './fix-place';

it('the place of a fix stands apart from what to do', () => {
  expect(
    fixPlace('name a tag that exists (https://git.example.com/shop/platform.git apps/web, application web)'),
  ).toEqual({ say: 'name a tag that exists', place: 'shop/platform · apps/web, delivered by web' });
  expect(fixPlace('unseal it')).toEqual({ say: 'unseal it', place: '' });
});
