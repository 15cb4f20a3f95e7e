-- Whether a child application has delivered what it was asked for. Uses no library: it also works as a check of Argo CD itself.
local status = obj.status or {}
local spec = obj.spec or {}
local sync = status.sync or {}
local operation = status.operationState or {}

local function verdict(code, message)
  return { status = code, message = message }
end

-- Controllers leave out what is empty, people often write it: both mean the same.
local function isEmpty(value)
  if value == nil or value == "" or value == false or value == 0 then
    return true
  end
  if type(value) ~= "table" then
    return false
  end
  for _, inner in pairs(value) do
    if not isEmpty(inner) then
      return false
    end
  end
  return true
end

local function isSame(one, other)
  if isEmpty(one) or isEmpty(other) then
    return isEmpty(one) and isEmpty(other)
  end
  if type(one) ~= "table" or type(other) ~= "table" then
    return one == other
  end
  for key, inner in pairs(one) do
    if not isSame(inner, other[key]) then
      return false
    end
  end
  for key, inner in pairs(other) do
    if one[key] == nil and not isEmpty(inner) then
      return false
    end
  end
  return true
end

-- Whether a record of the controller was made with the present source or sources. A hydrated source is not in the spec.
local function hasPresentSource(record)
  if not isEmpty(spec.sources) then
    return isSame(spec.sources, record.sources)
  end
  return isEmpty(spec.source) or isSame(spec.source, record.source)
end

local function hasPresentDestination(record)
  local was = record.destination or {}
  for key, value in pairs(spec.destination or {}) do
    if not isSame(value, was[key]) then
      return false
    end
  end
  return true
end

local function conditionOf(types)
  for _, condition in ipairs(status.conditions or {}) do
    if types[condition.type] then
      return condition
    end
  end
end

-- Whether the newest operation was for what is wanted now; only then no automatic sync follows.
local function wasTried()
  local result = operation.syncResult
  if result == nil then
    return operation.phase ~= nil
  end
  if not isEmpty(spec.sources) then
    return isSame(result.revisions, sync.revisions) and hasPresentSource(result)
  end
  return result.revision == sync.revision and hasPresentSource(result)
end

local function worstResource(code)
  for _, resource in ipairs(status.resources or {}) do
    if resource.health ~= nil and resource.health.status == code then
      local text = ": " .. (resource.kind or "resource") .. " " .. (resource.name or "")
      if isEmpty(resource.health.message) then
        return text
      end
      return text .. ": " .. resource.health.message
    end
  end
  return ""
end

local code = (status.health or {}).status
if isEmpty(code) then
  return verdict("Progressing", "Waiting for the application to be looked at")
end

local comparedTo = sync.comparedTo
if comparedTo ~= nil and not (hasPresentSource(comparedTo) and hasPresentDestination(comparedTo)) then
  return verdict("Progressing", "Waiting for the application to be compared with its changed source")
end

if obj.operation ~= nil or operation.phase == "Running" or operation.phase == "Terminating" then
  if isEmpty(operation.message) or operation.phase ~= "Running" then
    return verdict("Progressing", "A sync is running")
  end
  return verdict("Progressing", "A sync is running: " .. operation.message)
end

if sync.status == "OutOfSync" then
  local failure = conditionOf({ SyncError = true })
  if failure ~= nil then
    return verdict("Degraded", "Its sync failed: " .. (failure.message or "no reason given"))
  end
  local automated = (spec.syncPolicy or {}).automated
  if automated ~= nil and automated.enabled ~= false and not wasTried() then
    return verdict("Progressing", "Waiting for its automatic sync")
  end
  if operation.phase == "Failed" or operation.phase == "Error" then
    return verdict("Degraded", "Its last sync failed: " .. (operation.message or "no reason given"))
  end
end

local trouble = conditionOf({ ComparisonError = true, InvalidSpecError = true, UnknownError = true })
if trouble ~= nil then
  return verdict(code, trouble.type .. ": " .. (trouble.message or "no reason given"))
end
if code == "Healthy" then
  return verdict(code, "Application is Healthy and " .. (sync.status or "not compared yet"))
end
return verdict(code, "Application is " .. code .. worstResource(code))
