"""Writes gzip fast where the same bytes come again and again, as they do in bombs."""

import zlib

# Pieces below this number of bytes are written together.
SMALL = 1 << 18


class GzipOfRuns:
    """A gzip file that is written once. Of a large piece that equals the one before, the compressed bytes come again."""

    def __init__(self, out, level):
        self.out, self.waiting = out, bytearray()
        self.packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        self.crc = self.length = 0
        # The last large piece, and its compressed bytes if it came twice: they refer to nothing before them.
        self.last, self.packed = b"", None
        out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")

    def write(self, piece):
        if len(piece) < SMALL:
            self.waiting += piece
            if len(self.waiting) >= SMALL:
                self.write_small()
            return
        self.write_small()
        if piece != self.last:
            self.last, self.packed = piece, None
            self.add(piece, self.packer.compress(piece))
            return
        if self.packed is None:
            self.out.write(self.packer.flush(zlib.Z_FULL_FLUSH))
            self.packed = self.packer.compress(piece) + self.packer.flush(zlib.Z_FULL_FLUSH)
        self.add(piece, self.packed)

    def write_small(self):
        if self.waiting:
            self.add(self.waiting, self.packer.compress(self.waiting))
            self.waiting, self.last, self.packed = bytearray(), b"", None

    def add(self, piece, packed):
        self.out.write(packed)
        self.crc, self.length = zlib.crc32(piece, self.crc), self.length + len(piece)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.write_small()
            self.out.write(self.packer.flush() + self.crc.to_bytes(4, "little") + (self.length % 2**32).to_bytes(4, "little"))
