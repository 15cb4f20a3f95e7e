hs = {}
if obj.status ~= nil
  hs.status = "Healthy"
end
return hs
