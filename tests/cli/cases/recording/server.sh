COLUMNS=100 ubiheap report server.ubirec
