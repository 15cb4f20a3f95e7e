local hs = { status = "Progressing" }
if obj.status ~= nil then
  if obj.status.phase == "Pending" then
    hs.status = "Progressing"
  elseif obj.status.phase == "Running" or obj.status.phase == "Failed" then
    hs.status = "Healthy"
  end
end
return hs
