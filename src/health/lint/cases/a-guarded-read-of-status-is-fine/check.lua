local hs = { status = "Progressing", message = "Waiting" }
if obj.status ~= nil and obj.status.phase ~= nil then
  hs.message = "Phase: " .. obj.status.phase
  if obj.status.phase == "Bound" then
    hs.status = "Healthy"
  elseif obj.status.phase == "Lost" then
    hs.status = "Degraded"
  end
end
return hs
