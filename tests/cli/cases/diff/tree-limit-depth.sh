ubiheap diff -b default -n 2 -d 1 tiny-before.fxsnapshot tiny-after.fxsnapshot
