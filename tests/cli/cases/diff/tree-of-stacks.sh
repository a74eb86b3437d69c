ubiheap diff -b allocationStack -d 3 tiny-before.fxsnapshot tiny-after.fxsnapshot
