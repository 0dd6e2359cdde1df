"""RPCs about what exists before anything is called: app, secrets, files, images, functions."""

from __future__ import annotations

import hashlib
import re
import sys

from aiohttp import web
from google.protobuf.empty_pb2 import Empty
from grpclib import GRPCError, Status
from modal_proto import api_pb2 as pb

from tests.modal_loopback.model import App, Function
from tests.modal_loopback.wire import message, same, token

BUILDER = "2025.06"


class Objects:
    """The part of the plane that keeps objects."""

    async def rpc_ClientHello(self, request, _):
        return pb.ClientHelloResponse()

    async def rpc_EnvironmentGetOrCreate(self, request, _):
        settings = pb.EnvironmentSettings(image_builder_version=BUILDER)
        return pb.EnvironmentGetOrCreateResponse(
            environment_id="en-1", metadata=pb.EnvironmentMetadata(name="main", settings=settings)
        )

    async def rpc_AppCreate(self, request, _):
        app = App(self.new_id("ap"))
        self.apps[app.id] = app
        self.events.append(("app-created", dict(same(request, "tags").get("tags", {}))))
        return pb.AppCreateResponse(app_id=app.id, app_page_url=f"{self.url}/{app.id}")

    async def rpc_AppSetTags(self, request, _):
        return Empty()

    async def rpc_AppPublish(self, request, _):
        return pb.AppPublishResponse(url=f"{self.url}/{request.app_id}")

    async def rpc_AppHeartbeat(self, request, _):
        return Empty()

    async def rpc_AppClientDisconnect(self, request, _):
        app = self.apps[request.app_id]
        app.stopped = True
        self.events.append(("app-stopped", pb.AppDisconnectReason.Name(request.reason)))
        for container in list(self.containers.values()):
            if container.function.app is app:
                self.kill(container, "app stopped")
        self.notify()
        return Empty()

    # Secrets

    async def rpc_SecretGetOrCreate(self, request, _):
        name = request.deployment_name
        if name and name not in self.named_secrets:
            raise GRPCError(Status.NOT_FOUND, f"Secret '{name}' not found in environment 'main'")
        values = self.named_secrets[name] if name else dict(request.env_dict)
        secret_id = self.new_id("st")
        self.secrets[secret_id] = values
        metadata = message(pb.SecretMetadata, keys=list(values))
        return pb.SecretGetOrCreateResponse(secret_id=secret_id, metadata=metadata)

    # Files: by their hash, then as a mount that names them

    async def rpc_MountBatchedCheckExistence(self, request, _):
        missing = [each for each in request.sha256_hex_hashes if each not in self.files]
        return pb.MountBatchedCheckExistenceResponse(missing_sha256_hex_hashes=missing)

    async def rpc_MountPutFile(self, request, _):
        if request.WhichOneof("data_oneof") is None:  # clients before 1.5 ask one by one
            return pb.MountPutFileResponse(exists=request.sha256_hex in self.files)
        data = self.blobs[request.data_blob_id] if request.data_blob_id else request.data
        self.files[request.sha256_hex] = data
        return pb.MountPutFileResponse(exists=True)

    async def rpc_MountGetOrCreate(self, request, _):
        mount_id = self.new_id("mo")
        self.mounts[mount_id] = [(each.filename, each.sha256_hex) for each in request.files]
        metadata = pb.MountHandleMetadata(content_checksum_sha256_hex="0" * 64)
        return pb.MountGetOrCreateResponse(mount_id=mount_id, handle_metadata=metadata)

    # Blobs: what is too large for a message

    async def rpc_BlobCreate(self, request, _):
        blob_id = self.new_id("bl")
        return message(
            pb.BlobCreateResponse,
            blob_ids=[blob_id],
            upload_urls=pb.UploadUrlList(items=[self.blob_url + blob_id]),
        )

    async def rpc_BlobGet(self, request, _):
        return pb.BlobGetResponse(download_url=self.blob_url + request.blob_id)

    async def put_blob(self, request):
        data = self.blobs[request.match_info["id"]] = await request.read()
        return web.Response(headers={"ETag": hashlib.md5(data).hexdigest()})

    async def get_blob(self, request):
        return web.Response(body=self.blobs[request.match_info["id"]])

    # Images: nothing is installed; an interpreter of this machine stands for each

    async def rpc_ImageGetOrCreate(self, request, _):
        image_id = self.new_id("im")
        self.images[image_id] = request.image
        installs = "uv pip install" in "".join(request.image.dockerfile_commands)
        failure = self.build_failure if installs else ""
        status = (
            pb.GenericResult.GENERIC_STATUS_FAILURE if failure else pb.GenericResult.GENERIC_STATUS_SUCCESS
        )
        metadata = pb.ImageMetadata(
            python_version_info=f"Python {self.python_of(image_id)}.0", image_builder_version=BUILDER
        )
        return pb.ImageGetOrCreateResponse(
            image_id=image_id, result=pb.GenericResult(status=status, exception=failure), metadata=metadata
        )

    def recipe(self, image_id):
        """Return the commands of an image and of those below it, from the bottom up."""
        image = self.images[image_id]
        below = [command for base in image.base_images for command in self.recipe(base.image_id)]
        return [*below, *image.dockerfile_commands]

    def python_of(self, image_id):
        """Return the version of Python that an image asks for."""
        found = re.search(r"FROM python:(\d+\.\d+)", "\n".join(self.recipe(image_id)))
        return found[1] if found else f"{sys.version_info[0]}.{sys.version_info[1]}"

    # Functions

    async def rpc_FunctionPrecreate(self, request, _):
        app = self.apps[request.app_id]
        handle = message(
            pb.FunctionHandleMetadata,
            app_id=app.id,
            function_name=request.function_name,
            function_type=request.function_type,
            input_plane_url=self.url if self.input_plane else None,
            input_plane_region="us-east" if self.input_plane else None,
            **same(request, "function_schema", "supported_input_formats", "supported_output_formats"),
        )
        function = Function(
            request.existing_function_id or self.new_id("fu"), app, request.function_name, handle
        )
        self.functions[function.id] = function
        return pb.FunctionPrecreateResponse(function_id=function.id, handle_metadata=handle)

    async def rpc_FunctionCreate(self, request, _):
        function = self.functions[request.existing_function_id]
        function.definition = request.function
        function.handle.definition_id = self.new_id("de")
        data = pb.FunctionData(
            function_name=request.function.function_name,
            module_name=request.function.module_name,
            timeout_secs=request.function.timeout_secs,
            ranked_functions=[pb.FunctionData.RankedFunction(rank=0, function=request.function)],
        )
        return message(
            pb.FunctionCreateResponse,
            function_id=function.id,
            handle_metadata=function.handle,
            function=request.function,
            function_data=data,
        )

    async def rpc_AuthTokenGet(self, request, _):
        return pb.AuthTokenGetResponse(token=token(exp=4e9))
