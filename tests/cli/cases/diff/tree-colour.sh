ubiheap diff --color always -b objectClass -n 3 tiny-before.fxsnapshot tiny-after.fxsnapshot
