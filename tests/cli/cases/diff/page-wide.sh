COLUMNS=140 ubiheap diff -n 3 tiny-before.fxsnapshot tiny-after.fxsnapshot
