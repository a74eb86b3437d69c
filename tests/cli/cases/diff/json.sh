ubiheap diff --json -b internalType tiny-before.fxsnapshot tiny-after.fxsnapshot
