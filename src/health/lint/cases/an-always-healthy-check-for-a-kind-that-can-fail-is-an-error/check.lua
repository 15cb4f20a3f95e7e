return { status = "Healthy", message = "ignored" }
