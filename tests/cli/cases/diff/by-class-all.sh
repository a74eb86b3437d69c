ubiheap diff --by class -n 0 tiny-before.fxsnapshot tiny-after.fxsnapshot
