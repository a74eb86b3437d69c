COLUMNS=140 ubiheap diff -b objectClass tiny-before.fxsnapshot tiny-after.fxsnapshot
