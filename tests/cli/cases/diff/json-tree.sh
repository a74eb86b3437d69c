ubiheap diff --json --tree -b internalType tiny-before.fxsnapshot tiny-after.fxsnapshot
