"""Server reflection, v1 and v1alpha: the files of the contract and of the details of errors.

The two versions differ in the name of their package alone, and ``grpcio-reflection`` has v1alpha.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import grpc
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha._async import ReflectionServicer

_OLD: Final = "grpc.reflection.v1alpha"
_NEW: Final = "grpc.reflection.v1"
_SERVICE: Final = "ServerReflection"
_HEALTH: Final = "grpc.health.v1.Health"


def add_to(server: grpc.aio.Server, services: Iterable[str]) -> None:
    """Let *server* describe *services*, its health check and reflection itself."""
    services = tuple(services)
    names = (*services, _HEALTH, f"{_NEW}.{_SERVICE}", f"{_OLD}.{_SERVICE}")
    servicer = ReflectionServicer(names, _pool(services))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        [
            grpc.method_handlers_generic_handler(
                f"{package}.{_SERVICE}", {"ServerReflectionInfo": handler}
            )
            for package in (_NEW, _OLD)
        ]
    )


def _pool(services: Iterable[str]) -> DescriptorPool:
    """Everything that a client may ask for, and nothing else that this process has loaded."""
    pool, default = DescriptorPool(), Default()
    added: set[str] = set()
    for service in services:
        _add(pool, default.FindFileContainingSymbol(service), added)
    for file in (error_details_pb2, health_pb2, reflection_pb2):
        _add(pool, file.DESCRIPTOR, added)
    pool.Add(_renamed(reflection_pb2.DESCRIPTOR.serialized_pb))
    return pool


def _add(pool: DescriptorPool, file: FileDescriptor, added: set[str]) -> None:
    """Add *file* after what it imports."""
    if file.name in added:
        return
    added.add(file.name)
    for other in file.dependencies:
        _add(pool, other, added)
    pool.AddSerializedFile(file.serialized_pb)


def _renamed(v1alpha: bytes) -> descriptor_pb2.FileDescriptorProto:
    """The file of reflection v1, from that of *v1alpha*."""
    found = descriptor_pb2.FileDescriptorProto.FromString(v1alpha)
    found.name = found.name.replace("v1alpha", "v1")
    found.package = _NEW
    for message in found.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = field.type_name.replace(_OLD, _NEW)
    for service in found.service:
        for method in service.method:
            method.input_type = method.input_type.replace(_OLD, _NEW)
            method.output_type = method.output_type.replace(_OLD, _NEW)
    return found
