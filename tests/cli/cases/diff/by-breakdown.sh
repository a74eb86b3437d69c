ubiheap diff --by breakdown tiny-before.fxsnapshot tiny-after.fxsnapshot
