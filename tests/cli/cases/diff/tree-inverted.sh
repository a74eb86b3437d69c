ubiheap diff -b invertedAllocationStack -n 2 -d 2 tiny-before.fxsnapshot tiny-after.fxsnapshot
