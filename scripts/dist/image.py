#!/usr/bin/env python3
"""Writes an image of one layer in the layout of OCI, as a tar archive, without a daemon and without a clock.

Usage: image.py TREE OUT --epoch SECONDS --arch ARCH --version VERSION

The same tree gives the same bytes: entries are sorted, belong to root, and have the time of --epoch.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import stat
import tarfile
import time


def entry(name, epoch, mode):
    """The head of an entry of an archive."""
    info = tarfile.TarInfo(name)
    info.mtime, info.mode, info.uid, info.gid, info.uname, info.gname = epoch, mode, 0, 0, "root", "root"
    return info


def layer(tree, epoch):
    """The archive of a tree."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        paths = sorted(os.path.join(folder, name) for folder, folders, files in os.walk(tree) for name in folders + files)
        for path in paths:
            name = os.path.relpath(path, tree)
            if os.path.islink(path):
                info = entry(name, epoch, 0o777)
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                archive.addfile(info)
            elif os.path.isdir(path):
                info = entry(name, epoch, stat.S_IMODE(os.stat(path).st_mode))
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info = entry(name, epoch, 0o755 if os.access(path, os.X_OK) else 0o644)
                info.size = os.path.getsize(path)
                with open(path, "rb") as file:
                    archive.addfile(info, file)
    return out.getvalue()


class Layout:
    """Files of the layout, by name."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

    def blob(self, kind, data):
        """Adds content and gives its description."""
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    def json(self, kind, value):
        """Adds a document and gives its description."""
        return self.blob(kind, json.dumps(value, sort_keys=True, separators=(",", ":")).encode())

    def write(self, path, epoch):
        """Writes the archive."""
        folders = sorted({parent for name in self.files for parent in parents(name)})
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name in folders:
                info = entry(name, epoch, 0o755)
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            for name, data in sorted(self.files.items()):
                info = entry(name, epoch, 0o644)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))


def parents(name):
    """Folders that a name stands in."""
    parts = name.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def main():
    """Writes the image."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree")
    parser.add_argument("out")
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--version", required=True)
    asked = parser.parse_args()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(asked.epoch))
    archive = layer(asked.tree, asked.epoch)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=asked.epoch) as out:
        out.write(archive)
    layout = Layout()
    described = layout.blob("layer.v1.tar+gzip", packed.getvalue())
    labels = {"org.opencontainers.image.title": "spl", "org.opencontainers.image.version": asked.version,
              "org.opencontainers.image.licenses": "MIT"}
    config = {"created": created, "architecture": asked.arch, "os": "linux",
              "config": {"Env": ["PATH=/usr/bin"], "Entrypoint": ["/usr/bin/spl"], "Labels": labels},
              "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(archive).hexdigest()}"]},
              "history": [{"created": created, "created_by": "make dist"}]}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": layout.json("config.v1+json", config), "layers": [described]}
    top = {**layout.json("manifest.v1+json", manifest), "annotations": {"org.opencontainers.image.ref.name": asked.version}}
    layout.files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [top]}, sort_keys=True).encode()
    layout.write(asked.out, asked.epoch)


if __name__ == "__main__":
    main()
