ubiheap diff --by class -n 4 tiny-before.fxsnapshot tiny-after.fxsnapshot
