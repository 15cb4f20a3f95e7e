local hs = { status = "Progressing" }
local i = 0
while true do
  i = i + 1
  if obj.status ~= nil and obj.status.count == i then break end
end
repeat i = i - 1 until i < 0
::again::
if i < 10 then
  i = i + 1
  goto again
end
local function loop(n) return loop(n + 1) end
loop(1)
return hs
