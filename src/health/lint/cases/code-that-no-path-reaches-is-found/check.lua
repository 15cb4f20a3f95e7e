local hs = {}
if obj.status == nil then
  hs.status = "Progressing"
  return hs
else
  hs.status = "Degraded"
  if obj.status.phase == "A" then
    hs.status = "Healthy"
  elseif obj.status.phase == "A" then
    hs.status = "Suspended"
  end
  do return hs end
end
hs.message = "never"
return hs
