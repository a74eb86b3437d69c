ubiheap statistics tiny-before.fxsnapshot
