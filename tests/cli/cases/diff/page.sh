ubiheap diff tiny-before.fxsnapshot tiny-after.fxsnapshot
