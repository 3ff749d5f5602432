"""The HTTP server: questions over `/v1`, webhooks of the channels, health and figures.

app      the routes, as one Starlette application
asking   `/v1`: questions, conversations, server-sent events
keys     API keys: made, hashed, checked
openapi  the description of `/v1`
server   uvicorn in the loop of the channels
"""
