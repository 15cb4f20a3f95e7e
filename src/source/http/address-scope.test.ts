import { describe, expect, it } from 'vitest';
import { addressScopeOf } from './address-scope.js';

describe('H8: where a host is', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '127.0.0.1:8080',
    '[::1]:443',
    '127.0.0.1.',
    '１２７.0.0.1',
    '::1',
  ])('%s is this machine', (host) => {
    expect(addressScopeOf(host)).toBe('machine');
  });

  it.each([
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '0.0.0.0',
    '0',
    '[::]',
    '169.254.169.254:80',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
  ])('%s is the network link', (host) => {
    expect(addressScopeOf(host)).toBe('link');
  });

  it.each([
    'github.com',
    '10.0.0.1',
    '192.168.1.1',
    '8.8.8.8',
    '[2001:db8::1]',
    'localhost.example.com',
    '127.0.0.1.nip.io',
    '128.0.0.1',
    '170.254.0.1',
    'git',
  ])('%s is elsewhere', (host) => {
    expect(addressScopeOf(host)).toBe('elsewhere');
  });
});
