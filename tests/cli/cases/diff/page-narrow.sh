COLUMNS=50 ubiheap diff -n 3 tiny-before.fxsnapshot tiny-after.fxsnapshot
