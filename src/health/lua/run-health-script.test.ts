import { describe, expect, it } from 'vitest';
import { LuaError } from './lua-error.js';
import { runHealthScript } from './run-health-script.js';

const options = { now: () => 0 };
const verdict = (script: string): unknown =>
  runHealthScript(script, { kind: 'X', items: [1, null, 2], ä: 'ö€' }, options);

describe('a verdict', () => {
  it.each([
    ['return {status = "Healthy", message = "fine"}', { status: 'Healthy', message: 'fine' }],
    ['return {status = "Degraded"}', { status: 'Degraded' }],
    ['return {status = "Fine"}', { status: 'Unknown', message: 'Lua returned an invalid health status' }],
    ['return {message = "no status"}', { status: 'Unknown', message: 'Lua returned an invalid health status' }],
    ['return nil', undefined],
    ['', undefined],
    ['return {}', undefined],
    ['return {"Healthy"}', undefined],
    ['return {status = 5}', undefined],
    ['return {status = "Healthy", message = {}}', undefined],
    ['return {Status = "Healthy", MESSAGE = "any case"}', { status: 'Healthy', message: 'any case' }],
    ['return {STATUS = "Degraded", status = "Healthy"}', { status: 'Healthy' }],
    ['return {status = "Healthy", extra = {1, 2}}', { status: 'Healthy' }],
    ['return 1, {status = "Healthy"}', { status: 'Healthy' }],
    ['return {status = "Healthy", message = obj["ä"]}', { status: 'Healthy', message: 'ö€' }],
    ['return {status = "Healthy", message = "ü" .. #obj["ä"]}', { status: 'Healthy', message: 'ü5' }],
    ['return {status = "Healthy", message = #obj.items .. obj.items[2]}', { status: 'Healthy', message: '22' }],
    ['return {status = "Healthy", message = "\\255x"}', { status: 'Healthy', message: '\ufffdx' }],
  ])('%s', (script, expected) => {
    expect(verdict(script)).toEqual(expected);
  });
});

describe('no verdict', () => {
  const wrapped = 'json: error calling MarshalJSON for type json.jsonValue: ';
  it.each([
    ['return "Healthy"', 'expect table output from Lua script, not string'],
    ['return {}, true', 'expect table output from Lua script, not boolean'],
    ['return {status = "Healthy", check = type}', `${wrapped}${wrapped}cannot encode function to JSON`],
    ['local t = {} t.t = t return t', `${wrapped}${wrapped}cannot encode recursively nested tables to JSON`],
    ['return {1, x = 2}', `${wrapped}cannot encode mixed or invalid key types`],
    ['return {1, nil, 3}', `${wrapped}cannot encode sparse array`],
    ['return {status = 0/0}', `${wrapped}${wrapped}json: unsupported value: NaN`],
    ['return obj.spec.x', "<string>:1: attempt to index a non-table object(nil) with key 'x'"],
  ])('%s', (script, message) => {
    expect(() => verdict(script)).toThrow(LuaError);
    expect(() => verdict(script)).toThrow(message);
  });

  it('from tables in tables without end', () => {
    expect(() => verdict('local t = {} local first = t for i = 1, 5000 do t.t = {} t = t.t end return first')).toThrow(
      'cannot encode more than 500 nested tables to JSON',
    );
  });
});

it('reads the object lazily and never changes it', () => {
  const object = { spec: { list: [{ a: 1 }] }, big: 9007199254740993n, gone: null };
  const script = `
    assert(obj.spec.list[1] == obj.spec.list[1] and obj.gone == nil)
    local keys = {}
    for k in pairs(obj) do keys[#keys + 1] = k end
    obj.spec.list[1].a = 2
    obj.spec.list[2] = "new"
    obj.spec.list[1].b = obj.big
    obj.big = nil
    local list = obj.spec.list
    local message = table.concat(keys, ",") .. " " .. list[1].a .. " " .. #list .. " " .. list[1].b
    return {status = "Healthy", message = message}`;
  expect(runHealthScript(script, object, options)).toEqual({
    status: 'Healthy',
    message: 'spec,big 2 2 9007199254740992',
  });
  expect(object).toEqual({ spec: { list: [{ a: 1 }] }, big: 9007199254740993n, gone: null });
});
