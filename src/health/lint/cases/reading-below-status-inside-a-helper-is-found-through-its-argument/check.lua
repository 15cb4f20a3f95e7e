local function phase(object)
  return object.status.phase
end
if phase(obj) == "Ready" then
  return { status = "Healthy" }
end
return { status = "Progressing" }
