ubiheap census --json --inverted -b internalType two.fxsnapshot
