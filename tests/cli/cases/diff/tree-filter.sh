ubiheap diff -b default --filter Array tiny-before.fxsnapshot tiny-after.fxsnapshot
