import { expect, it } from 'vitest';
import { fixPlace } from './fix-place';

it('separates the place of a fix from the instruction', () => {
  expect(
    fixPlace('name a tag that exists (https://git.example.com/shop/platform.git apps/web, application web)'),
  ).toEqual({ say: 'name a tag that exists', place: 'shop/platform · apps/web, delivered by web' });
  expect(fixPlace('unseal it')).toEqual({ say: 'unseal it', place: '' });
});
