ubiheap diff --color always -n 2 tiny-before.fxsnapshot tiny-after.fxsnapshot
