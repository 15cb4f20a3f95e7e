local text = "the quick brown fox jumps over the lazy dog the end"
local counts, order = {}, {}
for word in text:gmatch("%a+") do
  if not counts[word] then counts[word] = 0 order[#order + 1] = word end
  counts[word] = counts[word] + 1
end
table.sort(order, function(a, b) if counts[a] ~= counts[b] then return counts[a] > counts[b] end return a < b end)
for i = 1, 3 do print(order[i], counts[order[i]]) end

local function split(s, separator) local out = {} for part in (s .. separator):gmatch("(.-)" .. separator:gsub("%p", "%%%0")) do out[#out + 1] = part end return out end
print(table.concat(split("a,b,,c", ","), "|"), #split("", ","), table.concat(split("1.2.3", "."), "+"))

local function encode(value)
  local kind = type(value)
  if kind == "string" then return '"' .. value:gsub('[%c"\\]', function(c) return string.format("\\u%04x", c:byte()) end) .. '"' end
  if kind ~= "table" then return tostring(value) end
  local parts = {}
  if #value > 0 then
    for _, v in ipairs(value) do parts[#parts + 1] = encode(v) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for k in pairs(value) do keys[#keys + 1] = k end
  table.sort(keys)
  for _, k in ipairs(keys) do parts[#parts + 1] = encode(k) .. ":" .. encode(value[k]) end
  return "{" .. table.concat(parts, ",") .. "}"
end
print(encode({name = "x\"y", list = {1, 2, {a = true}}, empty = {}, n = 1.5}))

local function decode(s)
  local at = 1
  local value
  local function space() at = s:find("%S", at) or #s + 1 end
  local function expect(c) space() if s:sub(at, at) ~= c then error("expected " .. c .. " at " .. at, 0) end at = at + 1 end
  local function list(close, item)
    local out = {}
    space()
    if s:sub(at, at) == close then at = at + 1 return out end
    while true do
      item(out)
      space()
      local c = s:sub(at, at)
      at = at + 1
      if c == close then return out elseif c ~= "," then error("unexpected " .. c, 0) end
    end
  end
  function value()
    space()
    local c = s:sub(at, at)
    if c == "{" then at = at + 1 return list("}", function(out) space() local k = value() expect(":") out[k] = value() end) end
    if c == "[" then at = at + 1 return list("]", function(out) out[#out + 1] = value() end) end
    if c == '"' then local from, to, body = s:find('^"([^"]*)"', at) at = to + 1 return body end
    local word = s:match("^[%w%.%-]+", at)
    if not word then error("unexpected " .. c, 0) end
    at = at + #word
    if word == "true" then return true elseif word == "false" then return false end
    return tonumber(word)
  end
  return value()
end
local decoded = decode('{"a": [1, 2.5, {"b": "text"}], "c": true, "d": {}}')
print(decoded.a[2], decoded.a[3].b, decoded.c, encode(decoded))
print(pcall(decode, "[1 2]"))
print(pcall(decode, '{"a" 1}'))

local function caesar(s, by) return (s:gsub("%a", function(c) local base = c:match("%l") and 97 or 65 return string.char((c:byte() - base + by) % 26 + base) end)) end
print(caesar("Hello, World!", 3), caesar(caesar("Round Trip", 7), -7))
local function wrap(s, width)
  local lines, line = {}, ""
  for word in s:gmatch("%S+") do
    if #line + #word + 1 > width and line ~= "" then lines[#lines + 1] = line line = word else line = line == "" and word or line .. " " .. word end
  end
  lines[#lines + 1] = line
  return lines
end
for _, line in ipairs(wrap(text, 18)) do print("[" .. line .. "]") end
local function template(s, values) return (s:gsub("{(%w+)}", function(name) return values[name] or "{" .. name .. "}" end)) end
print(template("{greeting}, {name}! {missing}", {greeting = "Hi", name = "Ann"}))
print(("%-8s|%8s|%08.3f|%x"):format("left", "right", 3.14159, 48879))
local function hex(s) return (s:gsub(".", function(c) return string.format("%02x", c:byte()) end)) end
print(hex("Lua\0\255"), ("racecar"):reverse() == "racecar", ("x"):rep(5), ("a b c"):gsub(" ", "", 1))
local roman = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}
local function toRoman(n) local out = "" for _, pair in ipairs(roman) do while n >= pair[1] do out = out .. pair[2] n = n - pair[1] end end return out end
print(toRoman(1994), toRoman(2026), toRoman(49))
