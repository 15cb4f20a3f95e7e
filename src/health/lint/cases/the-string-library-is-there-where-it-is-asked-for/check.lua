local hs = { status = "Progressing" }
if obj.status ~= nil and obj.status.state ~= nil then
  if string.find(obj.status.state, "Ready") then hs.status = "Healthy" end
  if obj.status.state:lower() == "failed" then hs.status = "Degraded" end
end
return hs
