/**
 * What every program begins with: a way to show any value without addresses, a way to show what a function does, and
 * fuel that ends a program which would run too long. It uses only what is open in Argo CD's sandbox.
 *
 * gopher-lua cuts the tie between a running function's locals and the closures over them when any error is raised
 * under it, even one that is caught. So what several `try` share is global here, and a block that assigns to captured
 * locals catches no errors inside.
 */
export const PRELUDE = `
local tick, text, show, str, try
do
  local error, type, tostring, next = error, type, tostring, next
  local select, pcall, print, concat = select, pcall, print, table.concat
  local fuel = 1000
  function tick() fuel = fuel - 1 if fuel < 0 then error("out of fuel", 0) end end
  function text(v, depth)
    local t = type(v)
    if t == "string" then return '"' .. v .. '"' end
    if t == "number" or t == "boolean" or t == "nil" then return tostring(v) end
    if t ~= "table" then return t end
    if depth > 3 then return "{...}" end
    local parts = {}
    for k, e in next, v do
      if #parts > 20 then parts[#parts + 1] = "..." break end
      parts[#parts + 1] = text(k, depth + 1) .. "=" .. text(e, depth + 1)
    end
    return "{" .. concat(parts, ",") .. "}"
  end
  function show(...)
    local line = {}
    for i = 1, select("#", ...) do line[i] = text((select(i, ...)), 0) end
    print(concat(line, " | "))
  end
  function str(v)
    local t = type(v)
    if t == "table" or t == "function" or t == "thread" then return t end
    return tostring(v)
  end
  function try(f, ...) show(pcall(f, ...)) end
end
`.trim();

/** A line that shows what an expression gives, or the error that it raises. */
export function tryExpression(expression: string): string {
  return `try(function() return ${expression} end)`;
}

/** Lines that show what statements do; the last line may return something to show. */
export function tryBlock(lines: readonly string[]): string[] {
  return ['try(function()', ...lines.map((line) => `  ${line}`), 'end)'];
}
