return { status = "Progressing", message = "at " .. os.time() }
