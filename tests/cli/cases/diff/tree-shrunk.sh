ubiheap diff -b objectClass -n 3 tiny-after.fxsnapshot tiny-before.fxsnapshot
