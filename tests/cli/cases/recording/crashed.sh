ubiheap report crashed.ubirec
