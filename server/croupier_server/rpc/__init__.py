"""The contract on the wire: one file a service, and what stands between all of them and gRPC.

A handler takes a `Caller` and a request that has been checked, and returns a message or its bytes.
It never sees gRPC: `interceptors` wraps every handler, and `errors` is the only place that knows a
status code.
"""
