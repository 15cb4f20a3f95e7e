if obj.status == nil then
  return nil
end
return "Healthy"
