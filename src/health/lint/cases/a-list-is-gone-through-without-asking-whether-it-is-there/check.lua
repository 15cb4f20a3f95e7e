local hs = { status = "Progressing" }
if obj.status == nil then return hs end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Ready" and condition.status == "True" then hs.status = "Healthy" end
end
hs.message = #obj.status.replicas .. " replicas"
return hs
