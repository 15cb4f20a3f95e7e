import { numberLiteral, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

const PHASES = ['"Running"', '"Succeeded"', '"Failed"', '"Pending"', '"Unknown"', 'nil', '""', '"Ready"'];

/** Programs like health checks: objects as JSON gives them, conditions, messages, and code that forgets a guard. */
export function objects(dice: Dice): string[] {
  return dice
    .times(3, 5, () =>
      tryBlock([
        `local obj = ${object(dice)}`,
        'local hs = {}',
        ...dice.pick([conditions, phases, replicas, summary])(dice),
        'show(hs.status, hs.message) show(hs)',
      ]),
    )
    .flat()
    .concat(dice.chance(0.5) ? [`return {status = "Healthy", message = "all " .. ${numberLiteral(dice)}}`] : []);
}

function object(dice: Dice): string {
  const condition = (): string =>
    `{type = ${dice.pick(['"Ready"', '"Available"', '"Progressing"', '"Stopped"'])}, status = ` +
    dice.pick(['"True"', '"False"', '"Unknown"', 'true']) +
    (dice.chance(0.5) ? `, message = "${dice.pick(['all good', 'quota exceeded', 'line\\nbreak', ''])}"` : '') +
    (dice.chance(0.4) ? `, reason = "${dice.pick(['Error', 'MinimumReplicas', 'Deadline'])}"` : '') +
    `${dice.chance(0.2) ? ', observedGeneration = 2' : ''}}`;
  const status = dice.chance(0.15)
    ? ''
    : `, status = {${[
        `phase = ${dice.pick(PHASES)}`,
        `replicas = ${smallInteger(dice, 0, 4)}`,
        ...(dice.chance(0.6) ? [`readyReplicas = ${smallInteger(dice, 0, 4)}`] : []),
        ...(dice.chance(0.7) ? [`observedGeneration = ${smallInteger(dice, 1, 3)}`] : []),
        ...(dice.chance(0.8) ? [`conditions = {${dice.times(0, 4, condition).join(', ')}}`] : []),
        ...(dice.chance(0.3) ? ['restarts = 1.5e3'] : []),
      ].join(', ')}}`;
  return (
    '{apiVersion = "v1", kind = "Thing", metadata = {name = "demo", generation = ' +
    smallInteger(dice, 1, 3) +
    (dice.chance(0.5) ? ', labels = {app = "x", ["app.kubernetes.io/name"] = "y"}' : '') +
    `}, spec = {replicas = ${smallInteger(dice, 0, 4)}, paused = ` +
    `${dice.pick(['true', 'false', 'nil'])}}${status}}`
  );
}

function conditions(dice: Dice): string[] {
  return [
    `if obj.status ~= nil${dice.chance(0.7) ? ' and obj.status.conditions ~= nil' : ''} then`,
    '  local failed, words = 0, {}',
    '  for i, condition in ipairs(obj.status.conditions) do',
    '    if condition.type == "Ready" and condition.status == "False" then hs.status = "Degraded" ' +
      'hs.message = condition.message return hs end',
    '    if condition.status ~= "True" then failed = failed + 1 words[#words + 1] = i .. ": " .. ' +
      'condition.type .. " | " .. condition.status end',
    dice.pick([
      '    if condition.type == "Stopped" then goto continue end',
      '    if condition.reason == "Error" then hs.message = condition.reason .. ": " .. condition.message end',
      '    show(condition)',
    ]),
    '    hs.last = condition.type',
    '    ::continue::',
    '  end',
    '  if failed == 0 then hs.status = "Healthy" hs.message = "fine" else hs.status = "Progressing" ' +
      'hs.message = failed .. " of " .. #obj.status.conditions .. ": " .. table.concat(words, "; ") end',
    'end',
  ].map((line) => (line.includes('hs.last') && !line.includes('goto') ? `    do ${line.trim()} end` : line));
}

function phases(dice: Dice): string[] {
  return [
    'local map = {Running = "Progressing", Succeeded = "Healthy", Failed = "Degraded", Ready = "Healthy"}',
    dice.chance(0.5) ? 'local phase = obj.status.phase' : 'local phase = obj.status and obj.status.phase or "Pending"',
    'hs.status = map[phase] or "Unknown"',
    'hs.message = ' +
      dice.pick([
        '"phase is " .. phase',
        'string.format("%s (%d restarts)", phase, obj.status.restarts or 0)',
        '("Phase: %s"):format(phase):lower()',
        'phase:gsub("%l+", "x")',
        'obj.kind .. "/" .. obj.metadata.name .. " " .. tostring(phase)',
      ]),
    'if obj.metadata.labels then for k, v in pairs(obj.metadata.labels) do hs[k:gsub("[./]", "_")] = v end end',
  ];
}

function replicas(dice: Dice): string[] {
  return [
    'local want, have = obj.spec.replicas or 1, 0',
    dice.chance(0.5)
      ? 'have = obj.status.readyReplicas'
      : 'if obj.status then have = obj.status.readyReplicas or 0 end',
    'if obj.spec.paused then hs.status = "Suspended" elseif obj.status and obj.status.observedGeneration ' +
      'and obj.status.observedGeneration < obj.metadata.generation then hs.status = "Progressing" hs.message ' +
      '= "stale: " .. obj.status.observedGeneration .. " < " .. obj.metadata.generation elseif have < want ' +
      'then hs.status = "Progressing" hs.message = have .. " of " .. want .. " ready (" .. math.floor(have / ' +
      'want * 100) .. "%)" else hs.status = "Healthy" end',
    'obj.status = nil obj.spec.replicas = want + 1 show(obj)',
  ];
}

function summary(_dice: Dice): string[] {
  return [
    'local keys = {} for k in pairs(obj) do keys[#keys + 1] = k end table.sort(keys) show(table.concat(keys, ","))',
    'local function count(v) if type(v) ~= "table" then return 1 end local n = 0 for _, e in pairs(v) do n ' +
      '= n + count(e) end return n end',
    'hs.status = "Healthy" hs.message = count(obj) .. " values"',
    'local function copy(v) if type(v) ~= "table" then return v end local c = {} for k, e in pairs(v) do ' +
      'c[copy(k)] = copy(e) end return c end',
    'local twin = copy(obj) twin.metadata.name = "other" show(obj.metadata.name, twin.metadata.name, twin)',
    'obj.metadata.labels = obj.metadata.labels or {} obj.metadata.labels.added = "yes" ' +
      'obj.metadata.labels.app = nil show(obj.metadata)',
  ];
}
