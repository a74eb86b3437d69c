ubiheap diff -b objectClass two.fxsnapshot hostile.fxsnapshot
