local hs = {}
if obj.status ~= nil then
  hs.status = "Healthy"
  return hs
end
hs.status = "Progressing"
