ubiheap diff -b default --filter zzz tiny-before.fxsnapshot tiny-after.fxsnapshot
