# SPDX-License-Identifier: MIT
"""A slow, obvious reader of .fxsnapshot files, written from docs/formats/fxsnapshot.md alone.

It shares no code and no design with the C reader: it inflates a file, parses each message into a Python object, and
checks the rules one after the other. Tests compare the C reader with it on hand-made, damaged and random input.

    snapshot = read(data)              the whole file, or Rejected
    snapshot.nodes[id].type            "" .. text; lone surrogates survive

The one subtle part is what happens to input that cannot be inflated. Firefox reads through protobuf's GzipInputStream:
one inflate call per block of 65536 bytes, a fresh block for each member. A call that ends in an error delivers nothing,
so the error costs the whole block, including bytes before it. A call runs on until it needs room beyond a full block.
"""
import zlib

BLOCK = 65536
MAX_DEPTH = 180
MAX_LENGTH = 2**31 - 17  # longest length-delimited field that protobuf takes


class Rejected(Exception):
    """The file breaks `rule`: "R1" .. "R14", "wire" (protobuf syntax) or "body" (message cut short)."""

    def __init__(self, rule, why, message=None):
        super().__init__(f"{rule}: {why}")
        self.rule = rule
        self.why = why
        self.message = message


# ---- container ------------------------------------------------------------------------------------------------------


def is_compressed(data):
    return data[:2] == b"\x1f\x8b" or (len(data) >= 2 and data[0] & 15 == 8 and (data[0] * 256 + data[1]) % 31 == 0)


def inflate_blocks(data):
    """Yields what each successful inflate call delivers."""
    while True:
        member = zlib.decompressobj(wbits=47)
        while not member.eof:
            had = len(data)
            try:
                block = member.decompress(data, BLOCK)
            except zlib.error:
                return
            data = member.unused_data if member.eof else member.unconsumed_tail
            yield block
            if not member.eof and not block and len(data) == had:
                return  # input ends inside the member
            if not member.eof and len(block) < BLOCK:
                return
        if not data:
            return


def inflate(data):
    return b"".join(inflate_blocks(data))


# ---- protobuf -------------------------------------------------------------------------------------------------------


class Cursor:
    """A range of bytes that one message occupies."""

    def __init__(self, data, pos, end):
        self.data, self.pos, self.end = data, pos, end

    def byte(self):
        if self.pos >= self.end:
            raise Rejected("wire", "field cut short")
        self.pos += 1
        return self.data[self.pos - 1]

    def raw_varint(self, max_bytes):
        value = 0
        for i in range(max_bytes):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * i)
            if byte < 0x80:
                return value
        raise Rejected("wire", f"varint longer than {max_bytes} bytes")

    def varint(self):
        return self.raw_varint(10) & (2**64 - 1)

    def tag(self):
        return self.raw_varint(5) & (2**32 - 1)

    def length(self):
        value = self.raw_varint(5)
        if value > MAX_LENGTH:
            raise Rejected("wire", "length of 2 GiB")
        if value > self.end - self.pos:
            raise Rejected("wire", "length beyond the message")
        return value

    def skip(self, count):
        if count > self.end - self.pos:
            raise Rejected("wire", "field cut short")
        self.pos += count


def skip_field(cursor, number, wire, depth):
    """An unknown field. Groups nest, and each costs a level."""
    open_groups = []
    while True:
        if number == 0:
            raise Rejected("wire", "field number 0")
        if wire == 0:
            cursor.varint()
        elif wire == 1:
            cursor.skip(8)
        elif wire == 2:
            cursor.skip(cursor.length())
        elif wire == 3:
            open_groups.append(number)
            if depth + len(open_groups) > MAX_DEPTH:
                raise Rejected("R13", "nested deeper than 180 levels")
        elif wire == 4:
            if not open_groups or open_groups.pop() != number:
                raise Rejected("wire", "end of a group that was not begun")
        elif wire == 5:
            cursor.skip(4)
        else:
            raise Rejected("wire", f"wire type {wire}")
        if not open_groups:
            return
        tag = cursor.tag()
        number, wire = tag >> 3, tag & 7


def parse(data, pos, end, depth, handlers):
    """Reads the fields of one message. handlers: (number, wire) -> function(value or (start, end))."""
    cursor = Cursor(data, pos, end)
    while cursor.pos < end:
        tag = cursor.tag()
        number, wire = tag >> 3, tag & 7
        handler = handlers.get((number, wire))
        if handler is None:
            skip_field(cursor, number, wire, depth)
        elif wire == 0:
            handler(cursor.varint())
        else:
            length = cursor.length()
            start = cursor.pos
            cursor.skip(length)
            handler((start, start + length))


class Message:
    """Base of the parsed messages: `fields` maps wire places to names, see each class."""

    SCALARS = {}   # number -> name; varint
    STRINGS = {}   # number of the inline form -> name; the next number is the reference
    CHILDREN = {}  # number -> (name, class, repeated)

    def __init__(self):
        for name in self.SCALARS.values():
            setattr(self, name, None)
        for name in self.STRINGS.values():
            setattr(self, name, None)  # bytes, int (reference) or None
        for name, _, repeated in self.CHILDREN.values():
            setattr(self, name, [] if repeated else None)

    def merge(self, data, pos, end, depth):
        """Adds the fields in data[pos:end] to those already here, as protobuf merges a repeated sub-message."""
        if depth > MAX_DEPTH:
            raise Rejected("R13", "nested deeper than 180 levels")
        handlers = {}
        for number, name in self.SCALARS.items():
            handlers[number, 0] = lambda value, name=name: setattr(self, name, value)
        for number, name in self.STRINGS.items():
            handlers[number, 2] = lambda at, name=name: setattr(self, name, bytes(data[at[0]:at[1]]))
            handlers[number + 1, 0] = lambda value, name=name: setattr(self, name, value)
        for number, (name, kind, repeated) in self.CHILDREN.items():
            handlers[number, 2] = lambda at, n=name, k=kind, r=repeated: self.child(n, k, r, data, at, depth)
        parse(data, pos, end, depth, handlers)
        return self

    def child(self, name, kind, repeated, data, at, depth):
        if repeated:
            target = kind()
            getattr(self, name).append(target)
        else:
            target = getattr(self, name)
            if not isinstance(target, kind):
                target = kind()
                setattr(self, name, target)
        target.merge(data, at[0], at[1], depth + 1)


class Metadata(Message):
    SCALARS = {1: "time"}


class Edge(Message):
    SCALARS = {1: "referent"}
    STRINGS = {2: "name"}


class StackFrame(Message):
    """oneof { data, ref }: whichever came last clears the other."""

    def __init__(self):
        super().__init__()
        self.data = None  # FrameData, int (reference) or None

    def merge(self, data, pos, end, depth):
        if depth > MAX_DEPTH:
            raise Rejected("R13", "nested deeper than 180 levels")
        parse(data, pos, end, depth, {
            (1, 2): lambda at: self.child("data", FrameData, False, data, at, depth),
            (2, 0): lambda value: setattr(self, "data", value),
        })
        return self


class FrameData(Message):
    SCALARS = {1: "id", 3: "line", 4: "column", 9: "system", 10: "self_hosted"}
    STRINGS = {5: "source", 7: "name"}
    CHILDREN = {2: ("parent", StackFrame, False)}


class Node(Message):
    SCALARS = {1: "id", 4: "size", 9: "coarse"}
    STRINGS = {2: "type", 7: "class_name", 10: "file", 12: "descriptive"}
    CHILDREN = {5: ("edges", Edge, True), 6: ("stack", StackFrame, False)}


# ---- meaning --------------------------------------------------------------------------------------------------------


class Frame:
    def __init__(self, id, parent, line, column, source, name, system, self_hosted):
        self.id, self.parent, self.line, self.column = id, parent, line, column
        self.source, self.name, self.system, self.self_hosted = source, name, system, self_hosted


def exact_double(value):
    """Whether converting to double and back gives the same 64-bit number."""
    return float(value) < 2.0**64 and int(float(value)) == value


class Snapshot:
    """creation_time; root (id); nodes {id: node}, in file order; frames {id: Frame}.

    A node here is the parsed Node with texts resolved: type, class_name, descriptive: str; file: bytes or None;
    stack: frame id or None; edges: [(referent, name or None)].
    """

    def __init__(self):
        self.creation_time = None
        self.root = None
        self.nodes = {}
        self.frames = {}
        self.two_byte = []
        self.one_byte = []
        self.message_count = 0

    def two_byte_string(self, value, rule, what):
        """Text of an inline string or reference, interning the former."""
        if isinstance(value, bytes):
            text = value[: len(value) & ~1].decode("utf-16-le", "surrogatepass")
            self.two_byte.append(text.split("\0")[0])
            return self.two_byte[-1]
        if value >= len(self.two_byte):
            raise Rejected(rule, f"{what}: reference {value}, but there are {len(self.two_byte)} two-byte strings")
        return self.two_byte[value]

    def one_byte_string(self, value, what):
        if isinstance(value, bytes):
            self.one_byte.append(value.split(b"\0")[0])
            return self.one_byte[-1]
        if value >= len(self.one_byte):
            raise Rejected("R10", f"{what}: reference {value}, but there are {len(self.one_byte)} one-byte strings")
        return self.one_byte[value]

    def add_frame(self, stack):
        """Registers a StackFrame and what it nests; returns its id. Iterative: 90 levels are legal."""
        chain, parent = [], None
        while stack is not None:
            if isinstance(stack.data, int):
                if stack.data not in self.frames:
                    raise Rejected("R11", f"frame {stack.data} is not known")
                parent = stack.data
                break
            data = stack.data
            if data is None or data.id is None:
                raise Rejected("R11", "frame without reference, data or id")
            if data.id in self.frames:
                raise Rejected("R12", f"frame {data.id} given again")
            for field in ("line", "column", "system", "self_hosted", "source"):
                if getattr(data, field) is None:
                    raise Rejected("R11", f"frame without {field}")
            source = self.two_byte_string(data.source, "R11", "source")
            name = None if data.name is None else self.two_byte_string(data.name, "R11", "functionDisplayName")
            chain.append((data, source, name))
            stack = data.parent
        for data, source, name in reversed(chain):
            self.frames.setdefault(data.id, Frame(data.id, parent, data.line & 0xFFFFFFFF, data.column & 0xFFFFFFFF,
                                                  source, name, data.system != 0, data.self_hosted != 0))
            parent = data.id
        return parent

    def add_node(self, node):
        if node.id is None:
            raise Rejected("R2" if self.root is None else "R3", "node without id")
        if not exact_double(node.id):
            raise Rejected("R4", f"id {node.id}")
        if node.id in self.nodes:
            raise Rejected("R5", f"id {node.id} again")
        node.coarse = (node.coarse or 0) & 0xFFFFFFFF
        if node.coarse > 4:
            raise Rejected("R6", f"coarseType {node.coarse}")
        if node.type is None:
            raise Rejected("R7", "no type name")
        node.type = self.two_byte_string(node.type, "R7", "typeName")
        if node.size is None:
            raise Rejected("R8", "no size")
        for i, edge in enumerate(node.edges):
            if edge.referent is None:
                raise Rejected("R9", "edge without referent")
            name = None if edge.name is None else self.two_byte_string(edge.name, "R9", "edge name")
            node.edges[i] = (edge.referent, name)
        if node.stack is not None:
            node.stack = self.add_frame(node.stack)
        if node.class_name is not None:
            node.class_name = self.one_byte_string(node.class_name, "jsObjectClassName").decode("latin-1")
        if node.file is not None:
            node.file = self.one_byte_string(node.file, "scriptFilename")
        if node.descriptive is not None:
            node.descriptive = self.two_byte_string(node.descriptive, "R10", "descriptiveTypeName")
        if self.root is None:
            self.root = node.id
        self.nodes[node.id] = node

    def check_edges(self):
        for node in self.nodes.values():
            for referent, _ in node.edges:
                if referent not in self.nodes:
                    raise Rejected("R14", f"edge from {node.id} to {referent}, which is not in the file")


def read_length(data, pos):
    """(length, position behind it), or None where the stream ends: no varint, or length 0."""
    value = 0
    for i in range(10):
        if pos + i >= len(data):
            return None
        value |= (data[pos + i] & 0x7F) << (7 * i)
        if data[pos + i] < 0x80:
            value &= 2**32 - 1
            return (value, pos + i + 1) if value else None
    return None


def read_messages(data):
    """Reads an inflated stream; a Snapshot or Rejected."""
    snapshot, pos = Snapshot(), 0
    while True:
        at = read_length(data, pos)
        if at is None:
            break
        length, start = at
        try:
            kind = Node if snapshot.message_count else Metadata
            # What is missing at the end is one fault, whatever the bytes present say: either way the file is bad.
            message = kind().merge(data, start, min(start + length, len(data)), 0)
            if start + length > len(data):
                raise Rejected("body", "message cut short")
            if kind is Metadata:
                snapshot.creation_time = message.time
            else:
                snapshot.add_node(message)
        except Rejected as fault:
            fault.message = snapshot.message_count
            raise
        snapshot.message_count += 1
        pos = start + length
    if snapshot.message_count < 2:
        raise Rejected("R1" if snapshot.message_count == 0 else "R2", "stream ends too early", snapshot.message_count)
    snapshot.check_edges()
    return snapshot


def read(data, compat_firefox=True):
    """Reads a file. Without `compat_firefox` uncompressed messages are accepted too, and any creation time is told."""
    if not is_compressed(data) and not compat_firefox:
        return read_messages(data)
    snapshot = read_messages(inflate(data))
    if compat_firefox and snapshot.creation_time is not None and snapshot.creation_time > 2**53:
        snapshot.creation_time = None
    return snapshot


# ---- for comparing --------------------------------------------------------------------------------------------------


def wtf8(text):
    return b"-" if text is None else b"=" + (text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def canonical_dump(snapshot):
    """Everything a graph must hold, as bytes; damage_driver.c writes the same for a ubi_graph."""
    index = {id: i for i, id in enumerate(snapshot.nodes)}
    out = [b"time %s\n" % (b"-" if snapshot.creation_time is None else b"%d" % snapshot.creation_time)]
    for node in snapshot.nodes.values():
        out.append(b"node %d %d %d %s\0%s\0%s\0%s\n" % (
            node.id, node.coarse, node.size, wtf8(node.type), wtf8(node.class_name), wtf8(node.file),
            wtf8(node.descriptive)))
        for referent, name in node.edges:
            out.append(b"edge %d %s\n" % (index[referent], wtf8(name)))
        frame_id, depth = node.stack, 0
        while frame_id is not None and depth < 100000:
            frame = snapshot.frames[frame_id]
            out.append(b"frame %d %d %d %d %d %s\0%s\n" % (frame.id, frame.line, frame.column, frame.system,
                                                           frame.self_hosted, wtf8(frame.source), wtf8(frame.name)))
            frame_id, depth = frame.parent, depth + 1
    return b"".join(out)


def reachable(snapshot):
    """Ids in breadth-first order as first reported; the root only if an edge leads to it."""
    seen, order, queue, at = {snapshot.root}, [], [snapshot.root], 0
    root_seen = False
    while at < len(queue):
        for referent, _ in snapshot.nodes[queue[at]].edges:
            if referent == snapshot.root and not root_seen:
                root_seen = True
                order.append(referent)
            if referent not in seen:
                seen.add(referent)
                order.append(referent)
                queue.append(referent)
        at += 1
    return order
