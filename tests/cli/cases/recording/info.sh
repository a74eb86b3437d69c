ubiheap info server.ubirec
ubiheap info crashed.ubirec
ubiheap info --json idle.ubirec
