if obj.status == nil then
  obj.status = {}
end
local hs = { status = "Progressing" }
if obj.status.ready == true then
  obj.status = "Healthy"
end
return hs
