ubiheap diff tiny-before.fxsnapshot tiny-before.fxsnapshot
