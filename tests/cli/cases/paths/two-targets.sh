ubiheap paths --max-paths 1 tiny-before.fxsnapshot 1810879236560 0x1a5a0d5e9a0
