ubiheap diff -b internalType two.fxsnapshot big-ids.fxsnapshot
